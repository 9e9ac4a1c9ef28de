"""Whole demo teams on the local backend, through the real app: their goals, what survives a kill, and other names."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

import pytest

from runs.backends import processes
from tests.runs.app import ROOT, App

sys.path.insert(0, str(ROOT / "docker"))
from standins.calls import differences
from standins.chat.app import CALLS as CHAT_CALLS
from standins.forge.app import CALLS as FORGE_CALLS

pytestmark = pytest.mark.demo
FILLED = ["workers", "nodes", "services", "notes", "claims", "branches", "pulls", "reviews", "roles", "checkpoints"]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = App(tmp_path / "data")
    yield made
    made.close()


def meets_its_goals(app: App, slug: str) -> dict[str, Any]:
    """The goals of a demo run; gives its tables."""
    run = app.wait(slug)
    assert (run["status"], run["phase"]) == ("ended", "ended"), run["reason"]
    assert run["score"]["pass_rate"] >= 0.8
    settled = time.monotonic() + 40
    while not (state := app.json("run_state", slug, "--json"))["tables"]["workers"]["1"]["ended_at"]:
        assert time.monotonic() < settled
        time.sleep(1)
    tables: dict[str, Any] = state["tables"]
    assert sum(pull["status"] == "merged" for pull in tables["pulls"].values()) >= 12
    assert [name for name in FILLED if not tables[name]] == []
    return tables


def nothing_was_lost_or_doubled(app: App, slug: str) -> None:
    book = app.json("ledger", slug, "--json")
    assert {name: (row["lost"], row["doubled"]) for name, row in book.items()} == dict.fromkeys(book, (0, 0)), book
    assert all(row["outbox"] > 0 and row["outbox_sha256"] == row["stored_sha256"] for row in book.values())


def nothing_is_left(app: App, slug: str) -> bool:
    return processes.marked(f"AGENSH_RUN_DIR={app.run_folder(slug)}") == []


def evidence_of(tables: dict[str, Any]) -> set[str]:
    rows = [row for table in tables.values() for row in table.values()]
    return {ref for row in rows for ref in row.get("evidence") or []}


def test_demo_team_under_other_names_ends_by_itself_with_everything_it_promises(app: App) -> None:
    """Every worker has another name than wNNNN: nothing may hang on who a worker is, so the goals are the same."""
    app.renamed = True
    app.start()
    second = app.command("up", "--port", "0")
    assert second.returncode == 2
    assert "already serves" in second.stderr
    assert len(second.stderr.strip().splitlines()) == 1
    launched = app.command("launch_run", "--preset", "demo", "--wait", "--json", seconds=420)
    assert launched.returncode == 0, launched.stderr
    tables = meets_its_goals(app, "demo-team-1")
    assert not any(row["name"].startswith("w0") for row in tables["workers"].values())
    nothing_was_lost_or_doubled(app, "demo-team-1")
    assert nothing_is_left(app, "demo-team-1")
    for name, listed in (("forge", FORGE_CALLS), ("chat", CHAT_CALLS)):
        assert differences(app.run_folder("demo-team-1") / "services" / name, listed) == ([], [])
    token = app.command("create_token", "evidence", "--role", "viewer").stdout.split()[-1]
    refs, missing = evidence_of(tables), []
    assert len(refs) > 50
    for ref in refs:
        source, _, rest = ref.partition(":")
        try:
            app.get(f"/api/v1/runs/demo-team-1/evidence/{source}/{quote(rest.partition('#')[0])}", token)
        except HTTPError:
            missing.append(ref)
    assert missing == []
    assert app.end() == 0


def test_nothing_is_lost_when_the_app_and_the_teams_processes_are_killed(app: App) -> None:
    app.start()
    app.command("launch_run", "--preset", "demo")
    app.wait("demo-team-1", phase="running")
    time.sleep(45)
    app.end(signal.SIGKILL)
    time.sleep(12)
    app.start()
    time.sleep(15)
    for name in ("forge", "board", "chat", "model", "gateway", "w0003"):
        os.kill(app.pids("demo-team-1")[name], signal.SIGKILL)
        time.sleep(2)
    time.sleep(12)
    os.kill(app.pids("demo-team-1")["supervisor"], signal.SIGKILL)
    run = app.wait("demo-team-1")
    assert run["status"] == "ended", run["reason"]
    time.sleep(15)
    nothing_was_lost_or_doubled(app, "demo-team-1")
    assert nothing_is_left(app, "demo-team-1")


def test_ctrl_c_ends_the_app_and_its_run_as_cancelled_and_salvaged(app: App) -> None:
    app.start()
    app.command("launch_run", "--preset", "demo")
    app.wait("demo-team-1", phase="running")
    began = time.monotonic()
    assert app.end(signal.SIGINT) == 0
    assert time.monotonic() - began < 25
    assert nothing_is_left(app, "demo-team-1")
    app.start()
    run = app.wait("demo-team-1", 5)
    assert run["status"] == "cancelled"
    assert run["provenance"]["salvaged"]["commit"]
