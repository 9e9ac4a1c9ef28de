"""Pictures of every page: `SHOTS_DIR=/tmp/shots python -m tests.e2e.shots`. With a run and on an empty database, light and dark, wide and narrow.

SHOTS_DEMO=1 launches the demo first and takes the live page in the middle of it and after the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.e2e.app import FIRST_RUN, ROOT, App, environment, running
from tests.e2e.browser import chromium

SIZES = {"1440": (1440, 900), "390": (390, 844)}
COMMON = ["/", "/runs/new", "/import", "/compare", "/decided", "/people", "/tokens", "/password", "/no-such-page"]
ALONE = ["/sign-in", "/sign-in/link/spent"]


def of_run(slug: str) -> list[str]:
    """Every page of one run."""
    base = f"/runs/{slug}"
    parts = ["/", "/launch", "/replay", "/claims/1", "/pulls/1", "/workers/1", "/evidence/run/1"]
    return [*(base + part for part in parts), f"/compare?runs={slug}"]


def shoot(browser: Browser, app: App, folder: Path, paths: list[str], state: Any) -> None:
    """One picture a page, theme and width."""
    for theme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                storage_state=state, viewport={"width": width, "height": height}, color_scheme=theme
            )
            page = context.new_page()
            for path in paths:
                page.goto(app.url + path)
                page.wait_for_timeout(1200)
                name = path.strip("/").replace("/", "_").replace("?", "_").replace("=", "-") or "runs"
                page.screenshot(path=folder / f"{name}.{size}.{theme}.png", full_page=True)
            context.close()


def main() -> int:
    """Empty first, then with a run in it."""
    folder = Path(os.environ.get("SHOTS_DIR", "shots"))
    with tempfile.TemporaryDirectory() as data, running(Path(data)) as app, chromium() as browser:
        context = browser.new_context()
        context.new_page().goto(app.fresh_link())
        state = context.storage_state()
        for name in ("empty", "run", "demo"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        shoot(browser, app, folder / "empty", [*COMMON], state)
        shoot(browser, app, folder / "empty", ALONE, None)
        app.manage("import_run", str(FIRST_RUN))
        shoot(browser, app, folder / "run", ["/", *of_run("first-run")], state)
        if os.environ.get("SHOTS_DEMO"):
            words = ["launch_run", "--preset", "demo", "--wait", "--json"]
            env = environment(app.folder)
            demo = subprocess.Popen([sys.executable, "manage.py", *words], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
            page = context.new_page()
            page.wait_for_timeout(100_000)
            shoot(browser, app, folder / "demo", ["/runs/demo-team-1/", "/"], state)
            demo.wait()
            page.wait_for_timeout(5_000)
            shoot(browser, app, folder / "demo", of_run("demo-team-1"), state)
    return 0


if __name__ == "__main__":
    sys.exit(main())
