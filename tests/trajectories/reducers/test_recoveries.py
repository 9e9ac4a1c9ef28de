"""Recoveries: what one worker lost and another landed."""

from __future__ import annotations

from tests.trajectories.reducers.team import Team
from trajectories.events import iso


def failed() -> tuple[Team, int]:
    """Ada (1) claimed the lexer and failed."""
    team = Team()
    claim = team.at(10).claims(1, "lexer", "lexer")
    team.at(20).fails(1, "cannot", "lexer")
    return team, claim


def test_a_failure_opens_a_recovery() -> None:
    team, claim = failed()
    row = team.row("recoveries", claim)
    assert (row["from_claim"], row["from_worker"], row["cause"], row["status"]) == (claim, 1, "failed", "open")
    assert row["lost_at"] == iso(team.now)


def test_the_first_peer_to_claim_the_subject_takes_over_and_lands_it() -> None:
    team, claim = failed()
    taker = team.at(30).claims(2, "taking over lexer", "lexer")
    team.at(35).claims(3, "me too", "lexer")
    row = team.row("recoveries", claim)
    assert (row["to_claim"], row["to_worker"], row["status"]) == (taker, 2, "taken_over")
    team.at(40).opens(2, 7, body=f"Claim: n{taker}")
    team.at(50).merges(3, 7)
    row = team.row("recoveries", claim)
    assert (row["status"], row["landed_at"]) == ("landed", iso(team.now))
    lost = team.row("claims", claim)
    assert (lost["status"], lost["recovered_by"]) == ("recovered", taker)
    assert team.row("behaviours", "recovery")["count"] == 1


def test_a_peer_already_at_it_when_the_claim_is_lost_takes_over_at_once() -> None:
    team = Team()
    claim = team.at(10).claims(1, "lexer", "lexer")
    peer = team.at(15).claims(2, "lexer", "lexer")
    team.at(20).exits(1, signal=9)
    row = team.row("recoveries", claim)
    assert (row["cause"], row["to_claim"], row["status"]) == ("crashed", peer, "taken_over")


def test_causes_follow_how_the_claim_was_lost() -> None:
    team = Team(workers=4, claim_ttl_s=60)
    claims = [team.at(0).claims(worker, f"part {worker}") for worker in (1, 2, 3, 4)]
    team.at(10).exits(1, code=1)
    team.at(11).exits(2, expected=True)
    team.at(12).silent(3)
    causes = [team.at(100).row("recoveries", claim)["cause"] for claim in claims]
    assert causes == ["crashed", "abandoned", "abandoned", "expired"]


def test_the_worker_that_picks_its_own_claim_up_again_needs_no_recovery() -> None:
    team, claim = failed()
    team.at(30).claims(1, "lexer again", "lexer")
    assert claim not in team.table("recoveries")


def test_the_worker_that_lands_its_lost_claim_needs_no_recovery() -> None:
    team, claim = failed()
    team.at(25).opens(1, 7, body=f"Claim: n{claim}")
    team.at(30).merges(1, 7)
    assert team.table("recoveries") == {}
    assert team.row("claims", claim)["status"] == "landed"


def test_a_second_loss_opens_its_own_and_the_last_landing_lands_the_chain() -> None:
    team, first = failed()
    second = team.at(30).claims(2, "lexer", "lexer")
    team.at(40).exits(2, code=1)
    third = team.at(50).claims(3, "lexer", "lexer")
    assert team.row("recoveries", first)["to_claim"] == second
    assert team.row("recoveries", second)["to_claim"] == third
    team.at(60).opens(3, 7, body=f"Claim: n{third}")
    team.at(70).merges(3, 7)
    assert [row["status"] for row in team.table("recoveries").values()] == ["landed", "landed"]
    assert team.row("claims", first)["recovered_by"] == second
    assert team.row("claims", second)["recovered_by"] == third
    assert team.row("claims", third)["status"] == "landed"


def test_a_peers_pull_that_names_the_lost_claim_takes_it_over() -> None:
    team, claim = failed()
    team.at(30).opens(2, 7, body=f"Claim: n{claim}")
    row = team.row("recoveries", claim)
    assert (row["to_claim"], row["to_worker"], row["status"]) == (None, 2, "taken_over")
    team.at(40).merges(1, 7)
    assert team.row("recoveries", claim)["status"] == "landed"
    assert team.row("claims", claim)["status"] == "recovered"


def test_a_renewed_take_over_still_lands_the_recovery() -> None:
    team, claim = failed()
    taker = team.at(30).claims(2, "lexer", "lexer")
    again = team.at(40).claims(2, "lexer", "lexer")
    team.at(50).opens(2, 7, body=f"Claim: n{again}")
    team.at(60).merges(2, 7)
    assert team.row("recoveries", claim)["status"] == "landed"
    assert team.row("recoveries", claim)["to_claim"] == taker


def test_a_released_claim_is_no_loss() -> None:
    team = Team()
    claim = team.claims(1, "lexer", "lexer")
    team.says(1, f"releasing n{claim}")
    team.claims(2, "lexer", "lexer")
    assert team.table("recoveries") == {}


def test_workers_that_go_because_the_run_is_stopping_lose_nothing_that_needs_a_peer() -> None:
    for phase in ("stopping", "draining"):
        team = Team()
        claim = team.at(10).claims(1, "lexer", "lexer")
        team.at(20).add("run", "run.phase_changed", phase=phase)
        team.at(21).exits(1, code=1)
        assert team.row("claims", claim)["status"] == "abandoned"
        assert team.table("recoveries") == {}
        assert team.table("attention") == {}


def test_a_taker_that_yields_hands_the_recovery_on_to_the_other_side() -> None:
    team, claim = failed()
    first = team.at(30).claims(2, "lexer", "lexer")
    second = team.at(31).claims(3, "lexer", "lexer")
    team.at(35).direct(2, 3, "yielding")
    row = team.row("recoveries", claim)
    assert (row["to_claim"], row["to_worker"], row["status"]) == (second, 3, "taken_over")
    team.at(40).opens(3, 7, body=f"Claim: n{second}")
    team.at(50).merges(1, 7)
    assert team.row("claims", claim)["recovered_by"] == second
    assert team.row("claims", first)["status"] == "released"


def test_a_taker_that_yields_to_nobody_leaves_the_recovery_open() -> None:
    team, claim = failed()
    team.at(30).claims(2, "lexer", "lexer")
    team.at(35).says(2, "releasing lexer")
    assert team.row("recoveries", claim)["status"] == "open"
    third = team.at(60).claims(3, "lexer", "lexer")
    assert team.row("recoveries", claim)["to_claim"] == third


def test_a_taker_overtaken_by_a_peer_that_lands_first_hands_the_recovery_on() -> None:
    team, claim = failed()
    team.at(30).claims(2, "lexer", "lexer")
    peer = team.at(31).claims(3, "lexer", "lexer")
    team.at(40).opens(3, 7, body=f"Claim: n{peer}")
    team.at(50).merges(3, 7)
    row = team.row("recoveries", claim)
    assert (row["to_claim"], row["status"]) == (peer, "landed")
