"""A whole team, played on a made-up clock with real git: it rebuilds the program, whatever its members are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs.scorers import suite
from tests.docker.model.team import TASK, Team

NUMBERED = [f"w{n:04}" for n in range(1, 9)]
RENAMED = ["ada", "ben", "cleo", "dov", "eve", "finn", "gus", "hal"]
BEHAVIOURS = ("overlaps_settled", "withdrawn", "takeovers", "integrators")


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Team, float]]:
    played = {}
    for title, names in (("numbered", NUMBERED), ("renamed", RENAMED)):
        team = Team(tmp_path_factory.mktemp(title), names, seed="7")
        played[title] = (team, team.run(300))
    return played


@pytest.mark.parametrize("title", ["numbered", "renamed"])
def test_the_team_lands_every_sub_task_and_settles_every_pull(
    stories: dict[str, tuple[Team, float]], title: str
) -> None:
    team, took = stories[title]
    assert team.settled(), team.story()
    assert took < 300
    assert team.story()["merged"] >= 12


@pytest.mark.parametrize("title", ["numbered", "renamed"])
def test_the_program_that_it_built_passes_the_hidden_tests(stories: dict[str, tuple[Team, float]], title: str) -> None:
    team, _ = stories[title]
    found = suite.score(TASK, team.bare, "main")
    assert (found["passed"], found["error_code"]) == (found["total"], None)


def test_each_behaviour_is_seen(stories: dict[str, tuple[Team, float]]) -> None:
    told = [team.story() for team, _ in stories.values()]
    for behaviour in BEHAVIOURS:
        assert any(story[behaviour] for story in told), (behaviour, told)


def test_git_answered_with_conflicts_and_a_worker_rebased(stories: dict[str, tuple[Team, float]]) -> None:
    conflicts = [output for team, _ in stories.values() for _, _, output in team.failed_shells if "CONFLICT" in output]
    assert conflicts


def test_nobody_is_named_in_the_rules() -> None:
    rules = Path(__file__).parents[3] / "docker" / "standins" / "model"
    for path in rules.glob("*.py"):
        assert "w0001" not in path.read_text("utf-8"), path
