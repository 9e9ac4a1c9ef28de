"""A mixed team of real agent CLIs finishes the demo task, with no account and no network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.backends import local, processes
from runs.harnesses import HARNESSES
from tests.clis.installed import needs
from tests.runs.app import App

pytestmark = pytest.mark.clis


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    for name in HARNESSES:
        needs(name)
    made = App(tmp_path / "data")
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.wait()
    for folder in (made.folder / "runs").glob("*"):
        local.kill(folder)


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
    claimed = {claim["worker"] for claim in tables["claims"].values()}
    took_part = {pull["author"] for pull in merged} | {pull["merged_by"] for pull in merged}
    everyone = set(range(1, 9))
    assert claimed == everyone
    assert took_part == everyone, "who neither had a pull merged nor merged one"
    assert processes.marked(f"AGENSH_RUN_DIR={app.run_folder('mixed-team-1')}") == []
    places = (app.run_folder("mixed-team-1") / "workers").iterdir()
    tried = sorted(place.name for place in places if (place / "network.jsonl").exists())
    print("tried to reach outside:", ", ".join(tried) or "nobody")
    assert app.end() == 0
