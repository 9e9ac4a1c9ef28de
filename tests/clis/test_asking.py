"""Permissions `record`: a CLI asks before it acts, the worker's loop allows it, both are recorded, and the work is done all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clis.installed import needs
from tests.clis.stack import running
from tests.clis.worker import work

pytestmark = pytest.mark.clis


@pytest.mark.parametrize("name", ["copilot", "claude"])
def test_what_an_agent_asks_is_allowed_and_recorded(name: str, tmp_path: Path) -> None:
    """Codex is left out: it asks only where its own sandbox stops a command, and nothing in this work is stopped by it."""
    needs(name)
    with running(tmp_path) as stack:
        told = work(name, stack, permissions="record")
    asked, answered = told.of("permission.asked"), told.of("permission.answered")
    assert asked
    assert len(asked) == len(answered)
    assert {answer["outcome"] for answer in answered} <= {"allow_once", "allow_always", "allow"}
    assert {ask["step"] for ask in asked} <= {step["step"] for step in told.of("step.started")}
    assert told.of("turn.finished")[0]["stop_reason"] == "end_turn"
    assert told.survivors == []
