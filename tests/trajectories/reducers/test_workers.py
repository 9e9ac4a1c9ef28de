"""Workers: lives, states, phases and sums."""

from __future__ import annotations

import pytest

from tests.trajectories.reducers.team import START, Team
from trajectories.events import iso


def status(team: Team, worker: int = 1) -> object:
    return team.row("workers", worker)["status"]


def test_a_worker_waits_from_its_enrolment_works_in_a_turn_and_is_idle_after_it() -> None:
    team = Team(workers=1)
    assert status(team) == "waiting"
    team.later(1).turn(1)
    assert status(team) == "working"
    team.later(1).rests(1)
    assert status(team) == "idle"
    team.later(1).agent(1, "nudge.sent")
    assert status(team) == "nudged"
    team.later(1).turn(1, "nudge")
    assert status(team) == "working"


def test_a_silent_worker_is_stalled_until_heard_and_then_what_it_was() -> None:
    team = Team(workers=1)
    team.turn(1)
    team.later(1).silent(1)
    team.later(1).rests(1)
    assert status(team) == "stalled"
    team.later(1).heard(1)
    assert status(team) == "idle"


@pytest.mark.parametrize(
    ("expected", "facts", "shown", "reason"),
    [
        (False, {"code": 1}, "dead", "exit code 1"),
        (False, {"code": None, "signal": 9}, "dead", "signal 9"),
        (False, {"signal": 9, "oom": True}, "dead", "out of memory"),
        (True, {"code": 0}, "ended", "as planned"),
    ],
)
def test_an_exit_is_a_death_unless_it_was_expected(expected: bool, facts: dict, shown: str, reason: str) -> None:
    team = Team(workers=1)
    team.at(30).exits(1, expected=expected, **facts)
    row = team.row("workers", 1)
    assert (row["status"], row["end_reason"], row["ended_at"]) == (shown, reason, iso(team.now))


def test_a_new_life_returns_a_dead_worker_and_keeps_when_it_first_joined() -> None:
    team = Team(workers=1)
    joined = team.row("workers", 1)["joined_at"]
    team.at(30).exits(1, code=1)
    team.at(40).joins(1, life=2)
    row = team.row("workers", 1)
    assert (row["life"], row["status"], row["ended_at"], row["joined_at"]) == (2, "waiting", None, joined)


def test_what_an_older_life_still_says_changes_nothing() -> None:
    team = Team(workers=1)
    team.at(30).joins(1, life=2)
    team.at(31).agent(1, "turn.started", life=1, turn=9)
    team.at(32).agent(1, "step.started", life=1, step="s")
    team.add("run", "worker.exited", 1, life=1, expected=False, code=1)
    team.at(40).tick()
    row = team.row("workers", 1)
    assert (row["status"], row["steps"], row["life"]) == ("waiting", 0, 2)


def test_the_end_of_the_run_ends_everyone_who_is_not_dead() -> None:
    team = Team(workers=2)
    team.exits(1, code=1)
    team.at(60).ends()
    team.later(1).rests(2)
    assert (status(team, 1), status(team, 2)) == ("dead", "ended")


def test_merges_count_for_the_merger_by_whose_pull_it_was() -> None:
    team = Team()
    for pull, author in ((1, 1), (2, 2), (3, 3)):
        team.opens(author, pull)
        team.merges(1, pull)
    row = team.row("workers", 1)
    assert (row["merges_own"], row["merges_others"]) == (1, 2)


def test_the_phase_follows_the_newest_deed() -> None:
    team = Team(workers=2)
    phases = []
    for deed in (
        lambda: team.turn(1),
        lambda: team.claims(1, "lexer"),
        lambda: team.pushes(1, "lexer", "0", "a"),
        lambda: team.opens(1, 7),
        lambda: team.merges(1, 7),
        lambda: team.turn(1),
    ):
        team.later(1)
        deed()
        phases.append(team.row("workers", 1)["phase"])
    assert phases == ["gather", "claim", "act", "verify", "merge", "gather"]


def test_sums_enter_the_row_at_the_next_tick_and_a_turns_end_brings_that_workers() -> None:
    team = Team(workers=2)
    team.at(1).steps(1, 3)
    team.at(2).steps(2, 2)
    assert team.row("workers", 1)["steps"] == 0
    team.at(3).rests(1)
    assert (team.row("workers", 1)["steps"], team.row("workers", 2)["steps"]) == (3, 0)
    team.at(10).tick()
    assert team.row("workers", 2)["steps"] == 2
    assert team.row("workers", 2)["last_seen_at"] == iso(START + 2000)


def test_a_tally_late_for_a_boundary_corrects_the_row_at_once() -> None:
    team = Team(workers=1)
    team.at(10).tick()
    fold = team.fold()
    team.at(9).steps(1)
    (change,) = fold.take(team.events[-1])
    assert (change.table, change.fields["steps"]) == ("workers", 1)


def test_usage_per_prompt_adds_up_and_a_sessions_own_total_goes_before_it() -> None:
    team = Team(workers=2)
    for _ in range(2):
        team.agent(1, "usage.reported", session=1, scope="prompt", input_tokens=100, cached_tokens=40, output_tokens=7)
    for total in (50, 90):
        team.agent(2, "usage.reported", session=1, scope="prompt", input_tokens=1, output_tokens=1)
        team.agent(2, "usage.reported", session=1, scope="session", input_tokens=total, cost_microusd=total)
    team.agent(2, "usage.reported", session=2, scope="session", input_tokens=10, cost_microusd=None)
    team.at(10).tick()
    one, other = team.row("workers", 1), team.row("workers", 2)
    assert (one["input_tokens"], one["cached_tokens"], one["output_tokens"], one["cost_microusd"]) == (
        200,
        80,
        14,
        None,
    )
    assert (other["input_tokens"], other["output_tokens"], other["cost_microusd"]) == (100, 2, 90)


def test_once_the_gateway_meters_a_worker_only_its_figures_count() -> None:
    team = Team(workers=1)
    team.agent(1, "usage.reported", session=1, scope="prompt", input_tokens=100, output_tokens=7)
    team.add("gateway", "request.metered", 1, input_tokens=30, output_tokens=3, cost_microusd=5)
    team.add("gateway", "request.metered", 1, input_tokens=30, output_tokens=3, cost_microusd=5)
    team.at(10).tick()
    row = team.row("workers", 1)
    assert (row["input_tokens"], row["output_tokens"], row["cost_microusd"]) == (60, 6, 10)


def test_board_seen_is_the_highest_note_read() -> None:
    team = Team(workers=1)
    for upto in (3, 9, 4):
        team.add("board", "notes.read", None, "w0001", via="read", upto=upto, added=1)
    team.at(10).tick()
    assert team.row("workers", 1)["board_seen"] == 9


def test_an_identity_outside_the_roster_changes_no_workers_row() -> None:
    team = Team(workers=1)
    before = team.row("workers", 1)
    team.opens("alice", 7)
    team.merges("w0009", 7)
    assert team.row("workers", 1) == before
    assert set(team.table("workers")) == {1}
    assert team.row("pulls", 7)["author"] == "gitea:alice"
    assert team.row("pulls", 7)["merged_by"] == "gitea:w0009"


def test_the_latest_roster_row_wins_and_an_id_goes_before_a_login() -> None:
    team = Team(workers=2)
    team.enrol(1, gitea_login="w0001-b", gitea_id=555)
    team.opens("w0001", 7)
    team.opens("w0001-b", 8)
    team.forge("pull.opened", "someone", number=9, author="gitea:someone", author_id=555)
    assert [team.row("pulls", pull)["author"] for pull in (7, 8, 9)] == ["gitea:w0001", 1, 1]
