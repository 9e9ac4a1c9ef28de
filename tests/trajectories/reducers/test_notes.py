"""Notes, nodes, services and checkpoints."""

from __future__ import annotations

from tests.trajectories.reducers.team import Team
from trajectories.events import iso


def test_a_newer_summary_of_the_same_sub_task_replaces_the_older() -> None:
    team = Team()
    old = team.note(1, "PATCH_SUMMARY", "files=a", "Lexer")
    other = team.note(2, "PATCH_SUMMARY", "files=a", "lexer")
    new = team.note(1, "PATCH_SUMMARY", "files=b", " lexer")
    assert team.row("notes", old)["replaced_by"] == new
    assert team.row("notes", other)["replaced_by"] is None


def test_a_failure_invalidates_the_latest_candidate_once() -> None:
    team = Team()
    old = team.note(1, "PATCH_SUMMARY", "files=a", "lexer")
    new = team.note(1, "PATCH_SUMMARY", "files=b", "lexer")
    fail = team.fails(1, "no", "lexer")
    team.fails(1, "still no", "lexer")
    assert team.row("notes", old)["invalidated_by"] is None
    assert team.row("notes", new)["invalidated_by"] == fail


def test_notes_that_name_no_sub_task_say_nothing_about_each_other() -> None:
    team = Team()
    one = team.note(1, "PATCH_SUMMARY", "files=a")
    team.note(1, "PATCH_SUMMARY", "files=b")
    team.fails(1, "no")
    assert (team.row("notes", one)["replaced_by"], team.row("notes", one)["invalidated_by"]) == (None, None)


def test_a_claim_note_is_hidden_after_its_life() -> None:
    team = Team(claim_ttl_s=60)
    claim, fact = team.at(0).claims(1, "lexer"), team.note(1, "FACT", "x")
    assert team.at(59).row("notes", claim)["hidden_at"] is None
    assert team.at(60).row("notes", claim)["hidden_at"] == iso(team.now)
    assert team.at(9999).row("notes", fact)["hidden_at"] is None


def test_a_node_counts_the_workers_placed_on_it() -> None:
    team = Team(workers=3)
    team.enrol(3, node="other")
    team.add("run", "node.lost", node="other")
    assert team.row("nodes", "local")["workers"] == 2
    row = team.row("nodes", "other")
    assert (row["workers"], row["status"], row["lost_at"]) == (1, "lost", iso(team.now))


def test_a_checkpoint_has_its_rate_and_what_the_team_had_spent_by_then() -> None:
    team = Team(workers=2)
    team.at(5).add("gateway", "request.metered", 1, input_tokens=30, output_tokens=3, cost_microusd=5)
    facts = {
        "at_s": 20,
        "commit": "abc",
        "passed": 2,
        "total": 3,
        "not_run": 1,
        "error_code": None,
        "evaluator": "suite",
    }
    team.at(20).add("run", "checkpoint.scored", checkpoint=1, **facts)
    fold = team.fold()
    team.at(10).add("gateway", "request.metered", 2, input_tokens=10, output_tokens=1, cost_microusd=None)
    fold.take(team.events[-1])
    team.at(30).add("gateway", "request.metered", 2, input_tokens=1000, output_tokens=1)
    fold.take(team.events[-1])
    row = fold.tables["checkpoints"][1]
    assert (row["rate_ppm"], row["passed"], row["tokens"], row["cost_microusd"]) == (666_666, 2, 44, 5)
    assert team.row("checkpoints", 1) == row


def test_a_score_that_failed_says_why_and_has_no_rate() -> None:
    team = Team(workers=1)
    team.add("run", "checkpoint.scored", checkpoint=1, error_code="build_failed", passed=None, total=60)
    row = team.row("checkpoints", 1)
    assert (row["rate_ppm"], row["error_code"]) == (None, "build_failed")
