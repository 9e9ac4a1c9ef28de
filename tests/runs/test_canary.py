"""A team on a model that wants a key and fails in every way: the key is nowhere but in its file, and no request is lost or doubled."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runs.backends import processes
from tests.runs.app import ROOT, App
from tests.runs.locked_model import LockedModel
from tests.runs.test_demo import nothing_is_left, nothing_was_lost_or_doubled

pytestmark = pytest.mark.demo
KEY = "sk-canary-71aa5b0e-4c1d-nowhere"
PAGES = (
    "",
    "launch",
    "replay",
    "team",
    "claims",
    "behaviours",
    "summary",
    "export",
    "workers/1",
    "workers/1/transcript",
)
TEAM = ("--model", "gpt-5.6-sol", "--endpoint", "canary", "--workers", "3", "--harness", "mini:3")


@pytest.fixture
def model(tmp_path: Path) -> Iterator[LockedModel]:
    made = LockedModel(tmp_path / "model", KEY)
    yield made
    made.close()


@pytest.fixture
def app(tmp_path: Path, model: LockedModel) -> Iterator[App]:
    """The app, with the key given as a person gives it: on standard input."""
    made = App(tmp_path / "data")
    made.start()
    command = [sys.executable, "manage.py", "keep_key", "canary", "--url", model.url]
    subprocess.run(command, cwd=ROOT, env=made.env, input=KEY, text=True, check=True, capture_output=True)
    yield made
    made.close()


def holders(app: App, slug: str) -> list[str]:
    """Processes of the run and of the app that have the key among their arguments or in their environment."""
    assert app.process is not None
    pids = [*processes.marked(f"AGENSH_RUN_DIR={app.run_folder(slug)}"), *app.pids(slug).values(), app.process.pid]
    found = []
    for pid in set(pids):
        for name in ("cmdline", "environ"):
            try:
                if KEY.encode() in (Path("/proc") / str(pid) / name).read_bytes():
                    found.append(f"{pid}/{name}")
            except OSError:
                continue
    assert len(set(pids)) > 6
    return found


def rows(app: App, slug: str) -> list[dict[str, Any]]:
    file = app.run_folder(slug) / "services/gateway/gateway.db"
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        return [json.loads(row) for (row,) in db.execute("SELECT row FROM ledger ORDER BY n")]


def test_the_key_is_nowhere_and_every_request_is_metered_once(app: App, model: LockedModel) -> None:
    launched = app.command("launch_run", "--preset", "demo", *TEAM, "--duration", "90", "--json")
    assert launched.returncode == 0, launched.stderr
    slug = json.loads(launched.stdout)["slug"]
    app.wait(slug, phase="running")
    for _ in range(4):
        time.sleep(6)
        assert holders(app, slug) == []
    run = app.wait(slug)
    assert run["status"] == "ended", run["reason"]
    time.sleep(12)
    nothing_was_lost_or_doubled(app, slug)
    ledger = rows(app, slug)
    tries = [each["status"] for row in ledger for each in row["tries"]]
    # A try that was cut short (-2) or found its connection closed (0) may have reached the model; every other did exactly once.
    assert len(tries) - tries.count(-2) - tries.count(0) <= model.seen <= len(tries)
    assert model.refused == 0
    told = {row["status"] for row in ledger}
    assert {200, 502} <= told, told
    assert any(len(row["tries"]) > 1 and row["status"] == 200 for row in ledger)
    workers = app.json("run_state", slug, "--table", "workers", "--json")["tables"]["workers"].values()
    paid = sum(row["cost_microusd"] or 0 for row in ledger)
    assert sum(worker["cost_microusd"] for worker in workers) == paid > 0
    seen_outside(app, slug)
    app.end()
    written = [str(file) for file in app.folder.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert written == [str(app.folder / "keys/canary.key")]
    assert (app.folder / "keys/canary.key").stat().st_mode & 0o777 == 0o600
    assert nothing_is_left(app, slug)


def seen_outside(app: App, slug: str) -> None:
    """Pages, API and exports of every form hold no key; the files stay in the data folder, to be read with the rest."""
    token = app.command("create_token", "canary", "--role", "admin").stdout.split()[-1]
    addresses = [f"/runs/{slug}/{page}" for page in PAGES]
    addresses += [
        "/models",
        "/models?endpoint=canary",
        "/runs/new?preset=agensh",
        f"/api/v1/runs/{slug}",
        f"/api/v1/runs/{slug}/state",
    ]
    for path in addresses:
        asked = urllib.request.Request(f"{app.url}{path}", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert KEY.encode() not in answer.read(), path
    for form in ("bundle", "csv", "jsonl", "otlp", "perfetto"):
        done = app.command("export_run", slug, str(app.folder / f"out-{form}"), "--format", form)
        assert done.returncode == 0, done.stderr


def test_a_spent_budget_ends_the_run_with_nothing_lost(app: App, model: LockedModel) -> None:
    launched = app.command(
        "launch_run", "--preset", "demo", *TEAM, "--duration", "120", "--budget-tokens", "120000", "--json"
    )
    assert launched.returncode == 0, launched.stderr
    slug = json.loads(launched.stdout)["slug"]
    run = app.wait(slug)
    assert (run["status"], run["reason"]) == ("ended", "the model budget of 120,000 tokens is spent")
    time.sleep(12)
    nothing_was_lost_or_doubled(app, slug)
    refused = [row for row in rows(app, slug) if row["status"] == 402]
    assert all(row["input_tokens"] == row["cost_microusd"] == 0 for row in refused)
    said = app.command("run_events", slug, "--kind", "budget.reached", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["fields"]["state"] for line in said][-1] == "spent"
    assert nothing_is_left(app, slug)
