"""The app is killed while a whole team works, and stays away for two minutes: the team works on, and nothing of it is lost or doubled."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.runs.app import App
from tests.runs.test_demo import nothing_is_left, nothing_was_lost_or_doubled

pytestmark = pytest.mark.demo
DOWN_S = 120
SLUG = "demo-team-1"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = App(tmp_path / "data")
    yield made
    made.close()


def events(app: App, kind: str, since: str, until: str) -> list[dict[str, Any]]:
    """The stored events of a kind that happened in between."""
    lines = app.command("run_events", SLUG, "--jsonl", "--kind", kind).stdout.splitlines()
    return [event for event in map(json.loads, lines) if since < event["at"] < until]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_team_works_on_for_two_minutes_without_the_app(app: App) -> None:
    app.start()
    app.command("launch_run", "--preset", "demo", "--duration", "420")
    app.wait(SLUG, phase="running")
    assert app.process is not None
    app.end(signal.SIGKILL)
    killed, before = now(), app.pids(SLUG)
    time.sleep(DOWN_S)
    assert app.pids(SLUG) == before, "a process of the team ended while nobody was there to start it again"
    back = now()
    app.start()
    run = app.wait(SLUG, seconds=420)
    assert run["status"] == "ended", run["reason"]
    assert run["score"]["pass_rate"] >= 0.8
    time.sleep(15)  # what the workers still held is shipped, and the last outboxes are read
    nothing_was_lost_or_doubled(app, SLUG)
    assert nothing_is_left(app, SLUG)
    # All of it happened while the app was away, in every service, and was told afterwards with the time at which it happened.
    for kind in ("note.posted", "pull.opened", "review.submitted", "message.posted", "turn.finished", "step.finished"):
        assert events(app, kind, killed, back), kind
    assert len({event["worker"] for event in events(app, "request.metered", killed, back)}) == 8
    moved = [event["fields"]["state"] for event in events(app, "inbox.moved", killed, back)]
    assert {"stored", "leased", "shown", "acknowledged"} <= set(moved)
    assert app.end() == 0
