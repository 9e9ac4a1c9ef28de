"""A live team in trouble, and a person who sees to it: a worker stands still, a service stands still; what is pressed are events of the run."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
SPEC = {"preset": "demo", "name": "Attended", "workers": 3, "duration_s": 600, "idle_limit_s": 6, "seed": 3}
SOON_MS = 90_000  # launch, silence and a busy machine


@pytest.fixture(scope="module")
def slug(app: App) -> Iterator[str]:
    """A small demo team whose idle limit is short; cancelled at the end."""
    import httpx

    token = app.manage("create_token", "attending", "--role", "operator").split()[-1]
    with httpx.Client(base_url=f"{app.url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=30) as api:
        run = api.post("/runs", json=SPEC).raise_for_status().json()["slug"]
        yield str(run)
        api.post(f"/runs/{run}/cancel")


@pytest.fixture
def stopped() -> Iterator[list[int]]:
    """Processes that a test made stand still go on after it."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            continue


def still(folder: Path, name: str, stopped: list[int]) -> None:
    """Make a process of the run stand still."""
    lines = [json.loads(line) for line in (folder / "status.jsonl").read_text().splitlines()]
    pid = [line["pid"] for line in lines if line["proc"] == name and line["state"] == "started"][-1]
    os.kill(pid, signal.SIGSTOP)
    stopped.append(pid)


def taken(app: App, slug: str) -> list[tuple[str, str]]:
    """(action, target) of what people did to the run."""
    listed = app.manage("run_events", slug, "--kind", "action.taken", "--jsonl").splitlines()
    return [(told["fields"]["action"], told["fields"]["target"]) for told in map(json.loads, listed)]


def test_a_silent_worker_is_nudged_and_stopped_and_a_dead_service_shows_its_last_words(
    app: App, slug: str, watched: Watched, stopped: list[int]
) -> None:
    page = watched.go(f"/runs/{slug}/")
    expect(page.locator("#census")).to_contain_text("3 workers", timeout=SOON_MS)
    expect(page.locator("#board li").first).to_be_visible(timeout=SOON_MS)
    lines = page.locator("#attention > li")

    folder = app.folder / "runs" / slug
    with (folder / "services" / "chat" / "log.txt").open("a") as log:
        log.write("no space left on <device>\n")
    still(folder, "w0002", stopped)
    still(folder, "chat", stopped)
    service = lines.filter(has_text="chat is down")
    expect(service.locator(".last-words")).to_contain_text("no space left on <device>", timeout=SOON_MS)
    expect(service).to_contain_text(re.compile(r"since \d\d:\d\d, for \d"))
    silent = lines.filter(has_text="w0002 is silent")
    expect(silent).to_be_visible(timeout=SOON_MS)
    os.kill(stopped[1], signal.SIGCONT)

    silent.get_by_role("button", name="Nudge w0002").click()
    expect(silent.locator(".act")).to_have_text("Asked")
    expect(page.locator("#said")).to_contain_text("w0002")
    expect(service).to_have_count(0, timeout=SOON_MS)  # it answers again

    page.goto(f"{app.url}/runs/{slug}/workers/2")
    page.get_by_text("Stop w0002", exact=True).click()
    page.get_by_role("button", name="Really stop w0002").click()
    expect(page.get_by_role("status").filter(has_text="w0002")).to_be_visible()
    page.goto(f"{app.url}/runs/{slug}/")
    expect(page.locator("#census")).to_contain_text(re.compile("1 (ended|dead)"), timeout=SOON_MS)
    expect(silent).to_have_count(0, timeout=SOON_MS)

    assert taken(app, slug) == [("nudge", "w0002"), ("stop_worker", "w0002")]
    told = watched.go(f"/runs/{slug}/workers/2").locator(".joined")
    for said in ("Fell silent", "Nudge to w0002 asked for by admin", "Stop of w0002 asked for by admin"):
        line = told.locator("li", has_text=said).last
        expect(line).to_be_visible()
        line.locator("a.ev").click()
        expect(page.get_by_text("run:", exact=False).first).to_be_visible()
        page.go_back()
