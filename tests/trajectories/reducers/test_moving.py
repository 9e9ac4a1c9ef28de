"""Who turns to another thing gave way, once nothing can speak against it; and an event proves a row once."""

from __future__ import annotations

import pytest

from tests.trajectories.reducers.test_claims import overlapping


@pytest.mark.parametrize(
    ("words", "pull", "status"),
    [
        (("Aloitin ensin.", "Selvä."), False, "released"),
        (("Aloitin ensin.",), False, "abandoned"),
        (("A.", "B."), True, "abandoned"),
    ],
)
def test_who_moves_on_after_both_have_talked_and_is_not_seen_again_gave_way_unless_it_has_a_pull(
    words: tuple[str, ...], pull: bool, status: str
) -> None:
    team, _, ben = overlapping()
    for place, each in enumerate(words):
        team.later(10).direct(1 + place % 2, 2 - place % 2, each)
    if pull:
        team.later(10).opens(2, 7, body=f"Claim: n{ben}")
    team.later(10).claims(2, "exit codes")
    assert team.row("claims", ben)["status"] == "live"  # it may come back
    team.later(60).add("run", "worker.silent", 2)
    assert team.row("claims", ben)["status"] == status


def test_who_moved_on_and_fails_at_it_later_never_gave_it_up() -> None:
    team, _, ben = overlapping()
    for place, each in enumerate(("Aloitin ensin.", "Selvä.")):
        team.later(10).direct(1 + place % 2, 2 - place % 2, each)
    team.later(10).claims(2, "exit codes")
    team.later(60).fails(2, "lexer: no luck", "lexer")
    assert team.row("claims", ben)["status"] == "failed"


def test_a_third_that_claims_what_one_has_turned_away_from_overlaps_with_the_other_alone() -> None:
    team, anna, ben = overlapping()
    team.later(10).note(2, "OBSERVED", f"n{ben}: menköön")
    team.later(10).claims(2, "exit codes")
    third = team.later(10).claims(3, "the lexer", "lexer")
    assert team.row("claims", third)["overlaps"] == [anna]
    assert team.row("claims", ben)["status"] == "released"


def test_an_event_proves_a_row_once() -> None:
    team, anna, _ = overlapping()
    team.later(10).opens(1, 7, body=f"Claim: n{anna}")
    team.later(10).merges(1, 7)
    for table in ("claims", "pulls", "overlaps"):
        for row in team.fold().tables[table].values():
            assert len(set(row["evidence"])) == len(row["evidence"]) == row["evidence_count"], table
