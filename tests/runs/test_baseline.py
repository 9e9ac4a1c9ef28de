"""The single-agent baseline, run to its end through the real app: one worker, the forge and nothing else, told to use its full time."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.runs.app import ROOT, App
from tests.runs.test_demo import nothing_is_left

pytestmark = pytest.mark.demo
DURATION_S, KEPT = 120, ("cut", "uniq")
ASKED = {
    "preset": "baseline",
    "task": "small",
    "model": "scripted",
    "duration_s": DURATION_S,
    "checkpoint_s": 60,
    "reminders_s": [60, 20],
}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The app with a task of two sub-tasks, so that the worker is done with them long before its time is over."""
    made = App(tmp_path / "data")
    made.env["AGENSH_TASKS_DIR"] = str(tmp_path / "tasks")
    shutil.copytree(ROOT / "docker" / "tasks" / "rill", tmp_path / "tasks" / "small")
    listed = tmp_path / "tasks" / "small" / "docs" / "subtasks.json"
    facts = json.loads(listed.read_text())
    facts["subtasks"] = [row for row in facts["subtasks"] if row["id"] in KEPT]
    listed.write_text(json.dumps(facts))
    yield made
    made.close()


def launched(app: App) -> str:
    """The slug of a baseline run, launched by the API."""
    token = app.command("create_token", "starter", "--role", "operator").stdout.split()[-1]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"{app.url}/api/v1/runs", json.dumps(ASKED).encode(), headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return str(json.load(answer)["slug"])


def events(app: App, slug: str, kind: str) -> list[dict[str, Any]]:
    lines = app.command("run_events", slug, "--jsonl", "--kind", kind).stdout.splitlines()
    return [json.loads(line) for line in lines]


def prompts(app: App, slug: str) -> list[str]:
    """What the agent was told, turn by turn, from the worker's own spool."""
    told = []
    for line in (app.run_folder(slug) / "workers" / "w0001" / "spool" / "1.jsonl").read_text().splitlines():
        message = json.loads(line)["msg"]
        if isinstance(message, dict) and message.get("method") == "session/prompt":
            told.append(message["params"]["prompt"][0]["text"])
    return told


def test_one_worker_alone_is_told_to_use_its_full_time_and_does(app: App) -> None:
    app.start()
    slug = launched(app)
    run = app.wait(slug)
    assert (run["status"], run["reason"]) == ("ended", "the time was up")
    time.sleep(10)
    assert {
        line["proc"] for line in map(json.loads, (app.run_folder(slug) / "status.jsonl").read_text().splitlines())
    } == {
        "forge",
        "gateway",
        "model",
        "supervisor",
        "w0001",
    }
    tables = app.json("run_state", slug, "--json")["tables"]
    assert set(tables["workers"]) == {"1"}
    assert not tables["notes"] and not events(app, slug, "message.*")
    assert sorted(pull["status"] for pull in tables["pulls"].values()) == ["merged"] * len(KEPT)
    assert {(pull["author"], pull["merged_by"]) for pull in tables["pulls"].values()} == {(1, 1)}

    first, *later = prompts(app, slug)
    assert "builds a program alone" in first
    assert "Use your full time" in first
    reminded = [event["fields"]["minutes_left"] for event in events(app, slug, "reminder.sent")]
    assert reminded == [1, 1]  # a minute, and a third of one, rounded up
    assert [text for text in later if text.startswith("Use all of your time: ")]
    (begun,), (ended,) = events(app, slug, "run.started"), events(app, slug, "worker.exited")
    assert ended["fields"]["expected"]
    turns = events(app, slug, "turn.started")
    assert [turn["fields"]["trigger"] for turn in turns][:1] == ["first"]
    assert "nudge" in {turn["fields"]["trigger"] for turn in turns}
    assert seconds(ended) - seconds(begun) >= DURATION_S - 1, "it ended before its time"
    book = app.json("ledger", slug, "--json")
    assert {name: (row["lost"], row["doubled"]) for name, row in book.items()} == dict.fromkeys(book, (0, 0)), book
    assert {name for name, row in book.items() if row["outbox"]} == {"run", "gitea", "gateway", "acp"}
    assert nothing_is_left(app, slug)
    assert app.end() == 0


def seconds(event: dict[str, Any]) -> float:
    return datetime.fromisoformat(event["at"]).timestamp()
