"""Claims: who wants what, and how each claim ends."""

from __future__ import annotations

import pytest

from tests.trajectories.reducers.team import Team
from trajectories.events import iso


def overlapping() -> tuple[Team, int, int]:
    """Ada (1) and Ben (2) both want the lexer."""
    team = Team()
    return team, team.at(10).claims(1, "lexer", "lexer"), team.at(20).claims(2, "the lexer", " LEXER ")


def test_a_claim_note_opens_a_claim_under_its_own_id() -> None:
    team = Team()
    claim = team.at(10).claims(1, "Claiming: the Lexer!", None)
    row = team.row("claims", claim)
    assert (row["worker"], row["subject"], row["status"]) == (1, "t:lexer", "live")
    assert row["opened_at"] == row["first_opened_at"] == iso(team.now)
    assert row["evidence"] == ["board:1"] and row["evidence_count"] == 1
    assert team.row("workers", 1)["current_claim"] == claim


def test_two_workers_who_want_the_same_overlap_on_both_rows() -> None:
    team, ada, ben = overlapping()
    assert team.row("claims", ada)["overlaps"] == [ben]
    assert team.row("claims", ben)["overlaps"] == [ada]
    assert team.row("claims", ada)["settled_by"] is None


def test_equal_paths_anywhere_in_both_texts_overlap() -> None:
    team = Team()
    one = team.claims(1, "numbers in src/lexer.py", "numbers")
    other = team.claims(2, "strings, see `./src/lexer.py:40`")
    third = team.claims(3, "src/parser.py")
    assert team.row("claims", other)["overlaps"] == [one]
    assert team.row("claims", third)["overlaps"] == []


def test_a_worker_does_not_overlap_with_itself() -> None:
    team = Team()
    team.claims(1, "src/lexer.py", "numbers")
    other = team.claims(1, "src/lexer.py", "strings")
    assert team.row("claims", other)["overlaps"] == []


@pytest.mark.parametrize("word", ["release", "Released", "RELEASING", "dropping", "yielding", "unclaim"])
def test_a_direct_message_that_yields_to_the_other_side_settles_the_overlap(word: str) -> None:
    team, ada, ben = overlapping()
    ref = team.at(30).direct(2, 1, f"{word}, it is yours")
    row = team.row("claims", ben)
    assert (row["status"], row["settled_by"], row["closed_at"]) == ("released", ref, iso(team.now))
    assert team.row("claims", ada)["settled_by"] == ref
    assert team.row("claims", ada)["status"] == "live"


@pytest.mark.parametrize(
    "text", ["you are yielding", "released-ish? no", "please release n2", "unclaimed", "if need be, releasing n2"]
)
def test_words_that_do_not_start_with_the_release_release_nothing(text: str) -> None:
    team, _, ben = overlapping()
    team.direct(2, 1, text)
    assert team.row("claims", ben)["status"] == "live"


@pytest.mark.parametrize("named", ["n2", "#2", "note 2", "the lexer now", "Note #2."])
def test_a_release_in_the_channel_names_the_claim_by_id_or_subject(named: str) -> None:
    team, _, ben = overlapping()
    team.says(2, f"Releasing {named}")
    assert team.row("claims", ben)["status"] == "released"


def test_nobody_releases_the_claim_of_another() -> None:
    team, ada, ben = overlapping()
    team.says(2, f"releasing n{ada}")
    assert team.row("claims", ada)["status"] == "live"
    assert team.row("claims", ben)["status"] == "live"


def test_a_claim_note_that_is_a_release_opens_none() -> None:
    team, _, ben = overlapping()
    note = team.note(2, "CLAIM", "releasing lexer", "lexer")
    assert note not in team.table("claims")
    assert team.row("claims", ben)["status"] == "released"


def test_a_failure_note_fails_the_same_workers_claim_on_the_same_subject() -> None:
    team, ada, ben = overlapping()
    team.at(40).fails(2, "cannot read 1e5", "Lexer")
    assert team.row("claims", ben)["status"] == "failed"
    assert team.row("claims", ada)["status"] == "live"


def test_a_failure_elsewhere_fails_nothing() -> None:
    team, _, ben = overlapping()
    team.fails(2, "cannot parse", "parser")
    assert team.row("claims", ben)["status"] == "live"


def test_a_claim_expires_when_its_life_is_over() -> None:
    team = Team(claim_ttl_s=60)
    claim = team.at(10).claims(1, "lexer")
    assert team.at(69).row("claims", claim)["status"] == "live"
    row = team.at(70).row("claims", claim)
    assert (row["status"], row["closed_at"]) == ("expired", iso(team.now))
    assert team.row("workers", 1)["current_claim"] is None


def test_a_renewal_supersedes_the_old_claim_and_keeps_when_it_began() -> None:
    team = Team(claim_ttl_s=60)
    old = team.at(10).claims(1, "lexer", "lexer")
    began = iso(team.now)
    new = team.at(90).claims(1, "still lexer", "lexer")
    assert team.row("claims", old)["status"] == "superseded"
    assert team.row("claims", new)["first_opened_at"] == began
    assert team.row("claims", new)["status"] == "live"


def test_a_claim_lands_with_the_pull_of_its_own_worker_even_after_it_expired() -> None:
    team = Team(claim_ttl_s=60)
    claim = team.at(10).claims(1, "lexer")
    team.at(20).opens(1, 7, body=f"Claim: n{claim}")
    assert team.at(100).row("claims", claim)["status"] == "expired"
    team.at(110).merges(2, 7)
    row = team.row("claims", claim)
    assert (row["status"], row["pull"], row["linked_by"], row["closed_at"]) == ("landed", 7, "trailer", iso(team.now))


def test_the_other_side_of_an_overlap_is_superseded_when_one_lands() -> None:
    team, ada, ben = overlapping()
    team.opens(1, 7, body=f"Claim: n{ada}")
    ref = team.at(50).merges(1, 7)
    assert team.row("claims", ada)["status"] == "landed"
    assert team.row("claims", ben)["status"] == "superseded"
    assert team.row("claims", ben)["settled_by"] == team.row("claims", ada)["settled_by"] == ref


def test_a_silent_worker_abandons_what_it_had_open() -> None:
    team, ada, ben = overlapping()
    team.at(60).silent(2)
    assert team.row("claims", ben)["status"] == "abandoned"
    assert team.row("claims", ada)["status"] == "live"


def test_the_end_of_the_run_abandons_every_open_claim_and_a_late_merge_still_lands_one() -> None:
    team, ada, ben = overlapping()
    team.opens(1, 7, body=f"claim: N{ada}")
    team.at(60).ends()
    assert {row["status"] for row in team.table("claims").values()} == {"abandoned"}
    assert team.table("recoveries") == {}
    team.at(61).merges(1, 7)
    assert team.row("claims", ada)["status"] == "landed"
    assert team.row("claims", ben)["status"] == "abandoned"


def test_a_status_that_outranks_the_one_shown_replaces_it_with_its_own_time() -> None:
    team = Team(claim_ttl_s=60)
    claim = team.at(0).claims(1, "lexer", "lexer")
    team.at(100).says(1, f"released n{claim}")
    team.at(120).fails(1, "no", "lexer")
    row = team.row("claims", claim)
    assert (row["status"], row["closed_at"]) == ("failed", iso(team.now))
    team.at(130).says(1, f"released n{claim}")
    assert team.row("claims", claim)["status"] == "failed"


def test_an_edited_message_is_said_anew() -> None:
    team, _, ben = overlapping()
    team.chat("message.edited", 2, message="m", kind="direct", to=["mattermost:w0001"], text="yielding")
    assert team.row("claims", ben)["status"] == "released"


def test_an_outsiders_note_claims_nothing() -> None:
    team = Team(workers=1)
    team.add("board", "note.posted", None, "stranger", note=5, type="CLAIM", text="lexer")
    assert team.table("claims") == {}
    assert team.row("notes", 5)["worker"] is None


def test_a_claim_without_words_is_its_own_subject() -> None:
    team = Team()
    one, other = team.claims(1, "claiming!"), team.claims(2, "I will")
    assert team.row("claims", one)["subject"] == f"t:{one}"
    assert team.row("claims", other)["overlaps"] == []


def test_a_finding_that_begins_like_a_release_gives_nothing_up_unless_it_names_the_claim() -> None:
    team = Team()
    claim = team.claims(1, "trailing blanks")
    team.note(1, "FACT", "dropping trailing blanks is what the reference does")
    team.fails(2, "releasing memory twice")
    assert team.row("claims", claim)["status"] == "live"
    team.note(1, "FACT", f"dropping n{claim}")
    assert team.row("claims", claim)["status"] == "released"


def test_a_failure_may_hold_more_words_than_the_claim() -> None:
    team = Team()
    claim = team.claims(1, "exit codes of the cli")
    team.fails(1, "no luck with the exit codes of the cli, two tries on linux")
    assert team.row("claims", claim)["status"] == "failed"


def test_the_same_words_with_another_number_are_another_sub_task() -> None:
    team = Team()
    team.claims(1, "CLAIM reader/html: nested lists part 2", "reader-html-nested-lists-2")
    other = team.claims(2, "working on nested lists in reader/html")
    third = team.claims(3, "`src/reader/html/nested_lists_2.c` is mine")
    assert team.row("claims", other)["overlaps"] == []
    assert team.row("claims", third)["overlaps"] == [1]
