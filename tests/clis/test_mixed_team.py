"""A mixed team of real agent CLIs finishes the demo task, with no account and no network."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runs.backends import processes
from runs.harnesses import HARNESSES
from runs.presets import PRESETS
from runs.spec import RunSpec
from tests.clis.installed import needs
from tests.clis.tokens import CAUSES, compared
from tests.runs.app import App

pytestmark = pytest.mark.clis
MIXED = PRESETS["mixed"].spec.harnesses


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    for name in HARNESSES:
        needs(name)
    made = App(tmp_path / "data")
    yield made
    made.close()


def told(app: App) -> dict[int, list[dict[str, Any]]]:
    """What each worker's agent and the gateway said of its turns and requests."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for kind in ("turn.*", "usage.reported", "request.metered"):
        for line in app.command(
            "run_events", "mixed-team-1", "--jsonl", "--kind", kind, seconds=300
        ).stdout.splitlines():
            event = json.loads(line)
            found[event["worker"]].append(event)
    return found


def test_two_copilot_one_claude_one_codex_and_four_mini_finish_the_demo_task(app: App) -> None:
    app.env.setdefault("AGENSH_CLIS_DIR", os.environ.get("AGENSH_CLIS_DIR", ""))
    app.start()
    launched = app.command("launch_run", "--preset", "mixed", "--wait", "--json", seconds=780)
    assert launched.returncode == 0, launched.stderr
    run = app.wait("mixed-team-1", 60)
    assert run["status"] == "ended", run["reason"]
    assert run["score"]["pass_rate"] >= 0.8
    assert run["provenance"]["isolation"] == {
        "copilot": "sandbox",
        "claude": "sandbox",
        "codex": "sandbox",
        "mini": "our own agent",
    }
    tables = app.json("run_state", "mixed-team-1", "--json")["tables"]
    merged = [pull for pull in tables["pulls"].values() if pull["status"] == "merged"]
    everyone = set(range(1, 9))
    assert {claim["worker"] for claim in tables["claims"].values()} == everyone
    assert {pull["author"] for pull in merged} == everyone, "who had nothing of its own merged"
    landed = {claim["worker"] for claim in tables["claims"].values() if claim["status"] == "landed"}
    assert landed == everyone, "whose claims came to nothing"
    harnesses = {n: RunSpec(harnesses=MIXED).harness_of(n) for n in everyone}
    said = told(app)
    turns = {n: compared(said[n], harness) for n, harness in harnesses.items()}
    for n, harness in harnesses.items():
        each = Counter((turn.why or "normal", "equal" if turn.equal else "differs") for turn in turns[n])
        print(f"w{n:04d} {harness}:", dict(each), "not counted by it:", sum(turn.aside for turn in turns[n]))
    assert [turn for each in turns.values() for turn in each if not turn.why and not turn.equal] == []
    assert {turn.why for each in turns.values() for turn in each} <= {"", *CAUSES}
    assert all(sum(not turn.why for turn in each) >= 1 for each in turns.values()), "a worker without a normal turn"
    assert processes.marked(f"AGENSH_RUN_DIR={app.run_folder('mixed-team-1')}") == []
    places = (app.run_folder("mixed-team-1") / "workers").iterdir()
    tried = sorted(place.name for place in places if (place / "network.jsonl").exists())
    print("tried to reach outside:", ", ".join(tried) or "nobody")
    assert app.end() == 0
