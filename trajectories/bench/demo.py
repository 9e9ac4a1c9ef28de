"""Emitted to visible in a real run: the demo team is launched, and every note and message is timed from its service's clock to the glass."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trajectories.bench.chromium import Missing, chromium, quantiles
from trajectories.bench.entering import by_page
from trajectories.bench.served import ROOT

START_S, RUN_MS, STOP_S = 120, 600_000, 40
# A row carries the time its service gave it; rows that were there when the page opened are not timed.
WATCH = """
window.delays = [];
const known = new WeakSet();
let opened = false;
new MutationObserver(() => {
  const fresh = [...document.querySelectorAll("#board li, #chat li")].filter((row) => !known.has(row));
  for (const row of fresh) known.add(row);
  if (opened) requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const row of fresh) window.delays.push(performance.timeOrigin + performance.now() - Date.parse(row.querySelector("time").dateTime));
  }));
}).observe(document, { childList: true, subtree: true });
setTimeout(() => (opened = true), 3000);
"""


def demo() -> dict[str, Any]:
    """One demo run of eight workers, watched in Chromium from its launch to its end. Takes some five minutes."""
    try:
        with chromium() as browser, _up() as (link, env):
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            by_page(page, link)
            launch = [sys.executable, "manage.py", "launch_run", "--preset", "demo", "--wait", "--json"]
            with tempfile.TemporaryFile() as out, subprocess.Popen(launch, cwd=ROOT, env=env, stdout=out) as team:
                page.add_init_script(WATCH)
                url = link.partition("/sign-in")[0]
                _until_listed(page, url)
                page.goto(f"{url}/runs/demo-team-1/")
                page.wait_for_function(
                    "() => document.querySelector('#clock')?.textContent.includes('Lasted')", timeout=RUN_MS
                )
                page.wait_for_timeout(3_000)
                delays = page.evaluate("window.delays")
                team.wait(60)
    except Missing as fault:
        return {"measured": False, "why": str(fault)}
    return {"measured": True, "rows": len(delays), "emitted_to_visible_ms": quantiles(delays) if delays else None}


def _until_listed(page: Any, url: str) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        answer = page.request.get(f"{url}/api/v1/runs/demo-team-1")
        if answer.ok and answer.json()["status"] not in {"draft", "preflight"}:
            return
        time.sleep(0.5)
    raise RuntimeError("the demo run did not start")


@contextmanager
def _up() -> Iterator[tuple[str, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        env |= {"AGENSH_DATA_DIR": folder, "PYTHONUNBUFFERED": "1"}
        log = Path(folder) / "up.log"
        with log.open("wb") as out:
            words = [sys.executable, "manage.py", "up", "--port", "0"]
            app = subprocess.Popen(words, cwd=ROOT, env=env, stdout=out, stderr=out, start_new_session=True)
        try:
            yield _link(app, log), env
        finally:
            app.send_signal(signal.SIGINT)
            try:
                app.wait(STOP_S)
            except subprocess.TimeoutExpired:
                app.kill()
                app.wait()


def _link(app: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_S
    while time.monotonic() < end and app.poll() is None:
        if found := re.search(r"http://\S+/sign-in/link/\S+", log.read_text()):
            return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"up did not answer: {log.read_text()[-500:]}")
