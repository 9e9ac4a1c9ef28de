"""The replay page in Chromium: opening, frames, seeking and heap, each beside a bare page or an empty frame measured in the same browser."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from runs import people
from runs.models import Run, SignInLink
from trajectories.bench.chromium import Missing, chromium
from trajectories.bench.entering import by_page
from trajectories.bench.served import served
from trajectories.bench.webs import web_process

SCRIPT = (Path(__file__).parent / "browsing.js").read_text()
VIEW = {"width": 1600, "height": 1000}
VSYNC_MS = 16.7
OPENINGS = 5
ROWS = ((1_500_000, False), (1_500_000, True), (3_000_000, True))
READY_MS = 180_000


def browsing() -> dict[str, Any]:
    """Frames of 1,024 lanes with a million steps and more, drawn by the product's own modules on a page of its own."""
    try:
        with chromium() as browser, served(1) as app:
            page = _signed_in(browser, app["link"])
            page.goto(f"{app['url']}/runs/{app['slug']}/replay")
            page.wait_for_function("() => performance.getEntriesByName('replay-painted').length > 0", timeout=READY_MS)
            page.evaluate(SCRIPT)
            clock = Clock(page)
            vsync = page.evaluate("bench.vsync()")
            told = {}
            for rows, pyramid in ROWS:
                made = page.evaluate("([rows, pyramid]) => bench.made(rows, pyramid)", [rows, pyramid])
                moved = {name: _moved(page, clock, f"bench.made_{name}()", vsync) for name in MOVES}
                told[f"{rows / 1e6:g}M_{'pyramid' if pyramid else 'rows'}"] = {**made, **moved}
                page.evaluate("bench.unmake()")
    except Missing as fault:
        return {"measured": False, "why": str(fault)}
    return {
        "measured": True,
        "vsync_ms": vsync,
        "lanes": 1024,
        "frames": told,
        "goals": {"1.5M_share": 0.7, "pyramid_3M_share": 0.6, "p95_of_vsync": 1.5},
    }


def opening(run: Run) -> dict[str, Any]:
    """The same of a run of the present database, shown by a web process of its own."""
    person = people.add(f"bench-{time.time_ns()}", "viewer", None)
    try:
        with web_process() as server:
            return of_run(server.url, f"{server.url}/sign-in/link/{SignInLink.mint(person)}", run.slug)
    finally:
        person.delete()


def of_run(url: str, link: str, slug: str) -> dict[str, Any]:
    """A run that an app at `url` holds: opening beside a bare page that reads, decodes and paints the same bytes, frames, seeks, heap."""
    try:
        with chromium() as browser:
            page = _signed_in(browser, link)
            ours = [_open(page, f"{url}/runs/{slug}/replay") for _ in range(OPENINGS)]
            page.evaluate(SCRIPT)
            vsync = page.evaluate("bench.vsync()")
            told = {"heap_mb": _heap(page), "seek_ms": page.evaluate("bench.seeks()"), "vsync_ms": vsync}
            clock = Clock(page)
            told["frames"] = {}
            for name, keys in VIEWS.items():
                page.evaluate("(keys) => bench.view(keys)", keys)
                told["frames"][name] = {move: _moved(page, clock, f"bench.{move}()", vsync) for move in MOVES}
            page.goto(f"{url}/health/live")
            page.evaluate(SCRIPT)
            bare = [page.evaluate("(slug) => bench.bare(slug)", slug) for _ in range(OPENINGS)]
    except Missing as fault:
        return {"measured": False, "why": str(fault)}
    ceiling = statistics.median(each["ms"] for each in bare)
    opened = statistics.median(ours)
    opening = {
        "open_ms": round(opened),
        "bare_page_ms": round(ceiling),
        "ratio": round(opened / ceiling, 2),
        "bytes": bare[0]["bytes"],
    }
    goals = {"opening_ratio": 3.0, "heap_mb": 150, "seek_ms": 200}
    return {"measured": True, "opening": opening, **told, "goals": goals}


VIEWS = {"whole": "0", "a_quarter": "wwwwww", "a_fortieth": "wwwwwwwwww"}
MOVES = ("played", "panned", "zoomed")


class Clock:
    """Processor time of a page's scripts, which a busy machine does not lengthen as it does the time of day."""

    def __init__(self, page: Any) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def script_ms(self) -> float:
        """So far."""
        told = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in told if each["name"] == "ScriptDuration")) * 1000


def _moved(page: Any, clock: Clock, move: str, vsync: dict[str, float]) -> dict[str, Any]:
    """120 frames: all script of the page in a frame as a share of 16.7 ms of processor time, and how long frames take beside an empty one."""
    before = clock.script_ms()
    found = page.evaluate(move)
    script = (clock.script_ms() - before) / found["frames"]
    told = {"script_ms": round(script, 2), "script_share": round(script / VSYNC_MS, 3)}
    return {**found, **told, "p95_of_vsync": round(found["frame_p95"] / vsync["p95"], 2)}


def _signed_in(browser: Any, link: str) -> Any:
    page = browser.new_context(viewport=VIEW).new_page()
    by_page(page, link)
    return page


def _open(page: Any, address: str) -> float:
    """From the click to the first full paint."""
    page.goto(address)
    page.wait_for_function("() => performance.getEntriesByName('replay-painted').length > 0", timeout=READY_MS)
    took: float = page.evaluate("performance.getEntriesByName('replay-painted')[0].startTime")
    return took


def _heap(page: Any) -> int:
    """Objects and the arrays behind them, after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    return round((used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6)
