"""Pulls and branches: by hook, by sweep, told twice, in conflict."""

from __future__ import annotations

from tests.trajectories.reducers.team import START, Team
from trajectories.events import iso


def test_a_pull_is_opened_and_merged() -> None:
    team = Team()
    opened = team.at(10).opens(1, 7, "Lexer", head="w0001/lexer")
    merged = team.at(20).merges(2, 7, "abc")
    row = team.row("pulls", 7)
    assert (row["title"], row["author"], row["head"], row["base"]) == ("Lexer", 1, "w0001/lexer", "main")
    assert (row["status"], row["merged_by"], row["merged_at"]) == ("merged", 2, iso(team.now))
    assert row["evidence"] == [opened, merged]
    assert team.row("branches", "main")["sha"] == "abc"


def test_times_are_the_forges_own_where_it_says_them() -> None:
    team = Team()
    team.opens(1, 7)
    team.at(20).add("gitea", "pull.merged", None, "gitea:w0002", said=18, number=7)
    assert team.row("pulls", 7)["merged_at"] == iso(START + 18_000)


def test_a_closed_pull_may_be_opened_again_and_a_merged_one_stays_merged() -> None:
    team = Team()
    team.opens(1, 7)
    team.closes(1, 7)
    assert team.row("pulls", 7)["status"] == "closed"
    team.forge("pull.reopened", 1, number=7)
    assert team.row("pulls", 7)["status"] == "open"
    team.merges(1, 7)
    team.closes(1, 7)
    team.forge("pull.reopened", 1, number=7)
    assert team.row("pulls", 7)["status"] == "merged"


def test_a_sweep_stands_in_for_lost_hooks_and_the_late_hooks_change_nothing() -> None:
    team = Team()
    facts = {"title": "Lexer", "author": "gitea:w0001", "head": "x", "base": "main", "opened_at": START + 1_000}
    facts |= {"merged_by": "gitea:w0002", "merged_at": iso(START + 9_000), "sha": "abc"}
    team.at(20).sweep(7, "closed", **facts)
    row = team.row("pulls", 7)
    assert (row["author"], row["opened_at"]) == (1, iso(START + 1_000))
    assert (row["status"], row["merged_by"], row["merged_at"]) == ("merged", 2, iso(START + 9_000))
    team.at(21).opens(1, 7, "Lexer")
    team.merges(2, 7, "abc")
    assert team.row("pulls", 7) == row
    assert team.row("workers", 2)["merges_others"] == 1


def test_a_conflict_is_what_a_sweep_says_and_ends_with_the_next_push() -> None:
    team = Team()
    team.opens(1, 7)
    assert team.row("pulls", 7)["conflict"] == "unknown"
    team.later(1).sweep(7, conflict="true")
    assert team.row("pulls", 7)["conflict"] == "true"
    team.later(1).forge("pull.pushed", 1, number=7, sha="b")
    assert team.row("pulls", 7)["conflict"] == "unknown"
    team.later(1).sweep(7, conflict="false")
    assert team.row("pulls", 7)["conflict"] == "false"


def test_a_push_whose_hook_comes_after_the_look_at_it_leaves_what_the_look_said() -> None:
    team = Team()
    team.opens(1, 7)
    team.later(1).sweep(7, conflict="false", head_sha="b")
    team.later(1).forge("pull.pushed", 1, number=7, sha="b")
    assert team.row("pulls", 7)["conflict"] == "false"
    team.later(1).forge("pull.pushed", 1, number=7, sha="c")
    assert team.row("pulls", 7)["conflict"] == "unknown"


def test_work_in_progress_never_conflicts() -> None:
    team = Team()
    team.opens(1, 7, "WIP: lexer")
    team.sweep(7, conflict="true")
    assert team.row("pulls", 7)["conflict"] == "unknown"


def test_the_same_hook_told_twice_is_one_fact() -> None:
    team = Team()
    team.opens(1, 7)
    for uuid in ("one", "two"):
        team.add(
            "gitea", "review.submitted", None, "gitea:w0002", id=uuid, number=7, verdict="approved", fingerprint="f"
        )
    assert list(team.table("reviews")) == ["7.2.1"]


def test_pushes_are_a_chain_there_and_back_and_there_again() -> None:
    team = Team()
    team.add("gitea", "branch.created", None, "gitea:w0001", branch="x", sha="A")
    seen = []
    for before, after in (("A", "B"), ("B", "A"), ("A", "B")):
        team.pushes(1, "x", before, after)
        seen.append(team.row("branches", "x")["sha"])
    assert seen == ["B", "A", "B"]
    assert team.row("branches", "x")["gaps"] == 0


def test_a_push_told_again_is_passed_over_and_a_missed_one_leaves_a_gap() -> None:
    team = Team()
    team.pushes(1, "x", "A", "B")
    team.pushes(1, "x", "A", "B")
    assert team.row("branches", "x")["gaps"] == 0
    team.pushes(1, "x", "C", "D")
    assert (team.row("branches", "x")["sha"], team.row("branches", "x")["gaps"]) == ("D", 1)


def test_a_sweep_of_the_branches_puts_heads_right() -> None:
    team = Team()
    team.pushes(1, "x", "A", "B")
    team.pushes(1, "y", "A", "B")
    team.later(5).add("gitea", "refs.observed", branches={"x": "C", "z": "E"})
    assert (team.row("branches", "x")["sha"], team.row("branches", "x")["gaps"]) == ("C", 1)
    assert team.row("branches", "y")["deleted_at"] == iso(team.now)
    assert (team.row("branches", "z")["sha"], team.row("branches", "z")["gaps"]) == ("E", 0)


def test_a_deleted_branch_may_come_back() -> None:
    team = Team()
    team.pushes(1, "x", "A", "B")
    team.forge("branch.deleted", 1, branch="x")
    assert team.row("branches", "x")["deleted_at"] is not None
    team.forge("branch.created", 1, branch="x", sha="Q")
    row = team.row("branches", "x")
    assert (row["sha"], row["deleted_at"]) == ("Q", None)


def conflicting() -> Team:
    """Ada's pull touches the lexer; main moves, and a sweep finds a conflict."""
    team = Team()
    team.at(5).pushes(1, "topic", "a", "b", "src/lexer.c", "src/main.c")
    team.at(10).opens(1, 7)
    team.at(20).pushes(2, "main", "m0", "m1", "src/parser.c")
    team.at(30).pushes(2, "main", "m1", "m2", "src/lexer.c")
    team.at(100).sweep(7, conflict="true")
    return team


def test_a_conflict_names_the_moves_of_the_base_and_the_file_that_both_touched() -> None:
    team = conflicting()
    row = team.row("pulls", 7)
    assert (row["conflicts"], len(row["conflict_bases"])) == (1, 2)
    (waste,) = team.table("waste").values()
    assert (waste["kind"], waste["path"], waste["worker"]) == ("conflict", "src/lexer.c", 1)


def test_a_conflict_that_was_in_doubt_for_a_while_is_one_conflict() -> None:
    team = conflicting()
    team.at(110).sweep(7, conflict="unknown")
    team.at(170).sweep(7, conflict="true")
    assert team.row("pulls", 7)["conflicts"] == 1 and len(team.table("waste")) == 1
    team.at(200).forge("pull.pushed", 1, number=7, sha="c")
    team.at(300).sweep(7, conflict="true")
    assert team.row("pulls", 7)["conflicts"] == 2 and len(team.table("waste")) == 2
