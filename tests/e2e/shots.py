"""Pictures of every page, light and dark, wide and narrow: on an empty database, of a demo run and of a simulated one. `make shots`.

The demo is launched once and kept as a bundle in the folder of the pictures; later calls import it. SHOTS_DIR is the
folder (default var/shots), SHOTS_ONLY=team,claims takes only pages whose address holds one of the words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.e2e.app import ROOT, App, environment, running
from tests.e2e.browser import chromium, enter

SIZES = {"1440": (1440, 900), "390": (390, 844)}
COMMON = ["/", "/runs/new", "/import", "/compare", "/decided", "/people", "/tokens", "/password", "/no-such-page"]
ALONE = ["/sign-in", "/sign-in/link/spent"]
MIDDLE_MS, AFTER_MS = 100_000, 5_000  # into the demo; after its end


def of_run(app: App, slug: str) -> list[str]:
    """Every page of one run; of claims, the one with most to tell: recovered, else overlapped."""

    def table(name: str) -> dict[str, Any]:
        return dict(json.loads(app.manage("run_state", slug, "--table", name, "--json"))["tables"][name])

    lost, claims, pulls = table("recoveries"), table("claims"), table("pulls")
    landed = [key for key, row in lost.items() if row["status"] == "landed"]
    claim = next(iter(landed or [key for key, row in claims.items() if row["overlaps"]] or claims), "1")
    pull = max(pulls, key=lambda key: int(pulls[key]["evidence_count"]), default="1")
    parts = [
        "",
        "launch",
        "replay",
        "team",
        "claims",
        "pulls",
        "behaviours",
        "summary",
        f"claims/{claim}",
        f"pulls/{pull}",
    ]
    parts += ["workers/2", "workers/2/transcript", "workers/2/knows", "evidence/run/1", "proof/behaviours/integrator"]
    return [*(f"/runs/{slug}/{part}" for part in parts), f"/compare?runs={slug}", f"/search?run={slug}&q=the"]


def shoot(browser: Browser, app: App, folder: Path, paths: list[str], state: Any) -> None:
    """One picture a page, theme and width."""
    folder.mkdir(parents=True, exist_ok=True)
    only = [word for word in os.environ.get("SHOTS_ONLY", "").split(",") if word]
    wanted = [path for path in paths if not only or any(word in path for word in only)]
    for theme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                storage_state=state, viewport={"width": width, "height": height}, color_scheme=theme
            )
            page = context.new_page()
            for path in wanted:
                page.goto(app.url + path)
                page.wait_for_timeout(1000)
                name = "_".join(part for part in path.replace("?", "/").replace("&", "/").split("/") if part) or "runs"
                page.screenshot(path=folder / f"{name}.{size}.{theme}.png", full_page=True)
            context.close()


def demo(app: App, browser: Browser, folder: Path, state: Any) -> str:
    """The slug of a demo run, from its bundle; launched, seen in the middle of it, and kept, where there is no bundle yet."""
    kept = folder / "demo.agrun.zip"
    if kept.exists():
        return str(json.loads(app.manage("import_run", str(kept), "--json"))["run"])
    words = ["launch_run", "--preset", "demo", "--wait", "--json"]
    run = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment(app.folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    page = browser.new_context().new_page()
    page.wait_for_timeout(MIDDLE_MS)
    shoot(browser, app, folder / "live", ["/runs/demo-team-1/", "/runs/demo-team-1/team", "/"], state)
    run.wait()
    page.wait_for_timeout(AFTER_MS)
    app.manage("export_run", "demo-team-1", str(kept))
    return "demo-team-1"


def simulated(app: App, folder: Path) -> str:
    """A simulated run of 32 workers over an hour."""
    bundle = folder / "simulated.agrun.zip"
    if not bundle.exists():
        app.manage("simulate_run", "--workers", "32", "--hours", "1", "--seed", "7", "--out", str(bundle))
    return str(json.loads(app.manage("import_run", str(bundle), "--json"))["run"])


def main() -> int:
    """Empty first, then with runs in it."""
    folder = Path(os.environ.get("SHOTS_DIR", "var/shots")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running(Path(data)) as app, chromium() as browser:
        context = browser.new_context()
        enter(context.new_page(), app.fresh_link())
        state = context.storage_state()
        shoot(browser, app, folder / "empty", [*COMMON, "/search?q=nothing"], state)
        shoot(browser, app, folder / "empty", ALONE, None)
        slug = demo(app, browser, folder, state)
        shoot(browser, app, folder / "demo", ["/", *of_run(app, slug)], state)
        shoot(browser, app, folder / "simulated", of_run(app, simulated(app, folder)), state)
    sys.stdout.write(f"pictures are in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
