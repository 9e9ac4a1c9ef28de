"""Roles, trust and behaviours: what the team was seen to do of itself."""

from __future__ import annotations

from tests.trajectories.reducers.team import START, Team
from trajectories.events import iso


def spans(team: Team, role: str) -> list[dict]:
    return [row for row in team.table("roles").values() if row["role"] == role]


def merging(mine: int, others: int) -> Team:
    """Ben (2) merges pulls of his own, then pulls of Ada (1)."""
    team = Team()
    for pull in range(1, mine + others + 1):
        team.later(10).opens(2 if pull <= mine else 1, pull)
        team.later(10).merges(2, pull)
    return team


def test_three_merges_of_others_make_an_integrator() -> None:
    assert spans(merging(0, 2), "integrator") == []
    team = merging(0, 3)
    (span,) = spans(team, "integrator")
    assert (span["worker"], span["since"], span["until"], span["share_ppm"]) == (2, iso(team.now), None, 1_000_000)
    assert span["span"] == f"2:integrator:{iso(team.now)}"
    assert span["evidence_count"] == 3
    assert team.row("behaviours", "integrator")["count"] == 1


def test_mostly_ones_own_merges_do_not() -> None:
    assert spans(merging(4, 3), "integrator") == []
    (span,) = spans(merging(3, 3), "integrator")
    assert span["share_ppm"] == 500_000


def test_a_role_ends_when_its_deeds_leave_the_window() -> None:
    team = merging(0, 3)  # merged at 20, 40 and 60 s; the window is an hour
    assert spans(team.at(3619), "integrator")[0]["until"] is None
    assert spans(team.at(3620), "integrator")[0]["until"] == iso(START + 3_620_000)


def test_the_window_is_half_the_run_if_that_is_shorter() -> None:
    team = Team(duration_s=240)
    for pull in (1, 2, 3):
        team.at(pull * 10).opens(1, pull)
        team.merges(2, pull)
    assert spans(team.at(129), "integrator")[0]["until"] is None
    assert spans(team.at(130), "integrator")[0]["until"] == iso(team.now)


def test_open_spans_end_with_the_run() -> None:
    team = merging(0, 3)
    team.at(100).ends()
    assert spans(team, "integrator")[0]["until"] == iso(team.now)
    team.later(1).merges(2, 4)
    assert len(spans(team, "integrator")) == 1


def test_a_reviewer_reviews_more_than_it_opens() -> None:
    team = Team()
    for pull in (1, 2, 3):
        team.later(1).opens(1, pull)
        team.later(1).reviews(2, pull, "approved")
    (span,) = spans(team, "reviewer")
    assert (span["worker"], span["share_ppm"]) == (2, 1_000_000)
    for pull in (4, 5, 6):
        team.later(1).opens(2, pull)
    assert spans(team, "reviewer")[0]["until"] == iso(team.now)


def test_an_implementer_lands_its_own_pulls() -> None:
    (span,) = spans(merging(0, 2), "implementer")
    assert span["worker"] == 1


def test_a_recoverer_lands_what_others_lost() -> None:
    team = Team()
    for part in ("lexer", "parser"):
        team.later(1).claims(1, part, part)
        team.later(1).fails(1, "no", part)
        taker = team.later(1).claims(2, part, part)
        team.later(1).opens(2, taker, body=f"Claim: n{taker}")
        team.later(1).merges(2, taker)
    (span,) = spans(team, "recoverer")
    assert span["worker"] == 2


def test_trust_grows_by_asking_again_after_a_review_that_stood() -> None:
    team = Team()
    for pull in range(1, 6):
        team.later(1).opens(1, pull)
        team.later(1).asks(1, pull, 2)
        asked = team.now
        team.later(1).reviews(2, pull, "approved")
        team.later(1).merges(3, pull)
        if pull == 4:
            trusted = asked
    row = team.row("trust", "1>2")
    assert (row["asked"], row["stood"], row["withdrawn"], row["since"]) == (5, 5, 0, iso(trusted))


def test_a_withdrawn_approval_does_not_stand() -> None:
    team = Team()
    team.opens(1, 1)
    team.asks(1, 1, 2)
    team.reviews(2, 1, "approved")
    team.reviews(2, 1, "changes_requested", "no")
    team.closes(1, 1)
    row = team.row("trust", "1>2")
    assert (row["asked"], row["stood"], row["withdrawn"]) == (1, 1, 1)  # the request for changes stood


def test_an_overlap_is_settled_by_talking_only_when_the_two_talked() -> None:
    for talks in (True, False):
        team = Team()
        team.claims(1, "lexer", "lexer")
        team.later(1).claims(2, "lexer", "lexer")
        if talks:
            first = team.later(1).direct(1, 2, "I am half way through it")
            last = team.later(1).direct(2, 1, "yielding")
            assert team.row("behaviours", "overlap_settled")["evidence"] == [first, last]
        else:
            team.later(1).note(2, "OBSERVED", "releasing lexer")
            assert "overlap_settled" not in team.table("behaviours")


def test_a_message_to_a_third_worker_settles_nothing() -> None:
    team = Team()
    team.claims(1, "lexer", "lexer")
    team.claims(2, "lexer", "lexer")
    team.direct(2, 3, "they want the lexer too")
    team.says(2, "releasing lexer")
    assert "overlap_settled" not in team.table("behaviours")


def test_standing_back_when_the_other_landed_after_talking_settles_it_too() -> None:
    team = Team()
    claim = team.claims(1, "lexer", "lexer")
    team.claims(2, "lexer", "lexer")
    team.direct(1, 2, "nearly done")
    team.opens(1, 7, body=f"Claim: n{claim}")
    team.merges(1, 7)
    assert team.row("behaviours", "overlap_settled")["count"] == 1
