"""A harness that is killed in the middle of a turn is started again, takes its session up, and ends the turn: on the real CLIs."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs.harnesses import HARNESSES
from tests.clis.installed import needs
from tests.clis.stack import running
from tests.clis.worker import work

pytestmark = pytest.mark.clis


@pytest.mark.parametrize("name", list(HARNESSES))
def test_a_killed_cli_goes_on_in_the_same_session(name: str, tmp_path: Path) -> None:
    needs(name)
    with running(tmp_path) as stack:
        told = work(name, stack, killed_after=2)
    first, second = told.of("session.opened")
    assert (first["resumed"], second["resumed"]) == (False, True)
    assert [turn["trigger"] for turn in told.of("turn.started")][:2] == ["first", "recap"]
    ended = told.of("turn.finished")
    assert ended[0]["error"].startswith("harness died") and ended[1]["error"] is None
    steps = [step["step"] for step in told.of("step.started")]
    assert len(steps) == len(set(steps)), "a step that was only told again was counted again"
    assert told.survivors == [] and told.exit_code == 0
