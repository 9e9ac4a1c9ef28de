"""What needs attention: each cause appears, and goes when it is gone."""

from __future__ import annotations

from tests.trajectories.reducers.team import Team
from trajectories.events import iso


def shown(team: Team) -> set[str]:
    return set(team.table("attention"))


def test_a_dead_worker_until_its_next_life() -> None:
    team = Team()
    ref = team.at(10).exits(1, code=1)
    row = team.row("attention", "worker_dead:1")
    assert (row["kind"], row["worker"], row["severity"], row["since"]) == ("worker_dead", 1, "bad", iso(team.now))
    assert row["evidence"] == [ref] and row["cause"] and row["action"]
    team.at(20).joins(1, 2)
    assert shown(team) == set()


def test_a_silent_worker_until_it_is_heard() -> None:
    team = Team()
    team.silent(1)
    assert shown(team) == {"worker_silent:1"}
    team.later(1).heard(1)
    assert shown(team) == set()


def test_a_worker_whose_turns_end_in_errors_or_that_ignores_a_nudge_needs_attention() -> None:
    team = Team()
    for _ in range(3):
        team.later(1).rests(1, "429")
    team.later(1).agent(2, "nudge.sent")
    assert shown(team) == {"worker_stuck:1"}
    team.later(120)
    assert shown(team) == {"worker_stuck:1", "nudge_unanswered:2"}
    team.rests(1)
    team.turn(2)
    assert shown(team) == set()


def test_a_pull_without_reviewer_after_a_while() -> None:
    team = Team()
    team.at(0).opens(1, 7)
    team.opens(1, 8)
    team.asks(1, 8, 2)
    assert shown(team.at(599)) == set()
    row = team.at(600).row("attention", "pull_unreviewed:7")
    assert (row["pull"], row["worker"]) == (7, 1)
    assert shown(team) == {"pull_unreviewed:7"}
    team.reviews(2, 7, "commented")
    assert shown(team) == set()


def test_short_runs_are_judged_sooner() -> None:
    team = Team(duration_s=240)
    team.at(0).opens(1, 7)
    assert shown(team.at(29)) == set()
    assert shown(team.at(30)) == {"pull_unreviewed:7"}


def test_a_conflict_until_the_pull_moves_or_closes() -> None:
    team = Team()
    team.opens(1, 7)
    team.asks(1, 7, 2)
    team.sweep(7, conflict="true")
    assert shown(team) == {"pull_conflict:7"}
    team.later(1).forge("pull.pushed", 1, number=7, sha="b")
    assert shown(team) == set()
    team.later(1).sweep(7, conflict="true")
    team.later(1).merges(2, 7)
    assert shown(team) == set()


def test_a_claim_about_to_expire_until_it_does() -> None:
    team = Team(claim_ttl_s=60)
    claim = team.at(0).claims(1, "lexer")
    assert shown(team.at(49)) == set()
    assert shown(team.at(50)) == {f"claim_expiring:{claim}"}
    assert shown(team.at(60)) == set()


def test_a_failure_nobody_takes_over() -> None:
    team = Team()
    claim = team.at(0).claims(1, "lexer", "lexer")
    team.at(10).fails(1, "no", "lexer")
    assert shown(team.at(609)) == set()
    row = team.at(610).row("attention", f"failure_open:{claim}")
    assert (row["claim"], row["worker"]) == (claim, 1)
    team.claims(2, "lexer", "lexer")
    assert f"failure_open:{claim}" not in shown(team)


def test_nodes_and_services_that_are_down() -> None:
    team = Team()
    team.add("run", "service.started", service="board")
    team.add("run", "service.exited", service="board", code=1, log_tail="boom")
    team.add("run", "node.lost", node="local")
    assert shown(team) == {"service_down:board", "node_lost:local"}
    team.add("run", "service.started", service="board")
    team.add("run", "node.joined", node="local")
    assert shown(team) == set()
    assert team.row("services", "board")["restarts"] == 1


def test_nothing_needs_attention_once_the_run_is_over() -> None:
    team = Team()
    team.exits(1, code=1)
    team.opens(2, 7)
    team.at(10).ends()
    team.at(5000)
    assert shown(team) == set()
