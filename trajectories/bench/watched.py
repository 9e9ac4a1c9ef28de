"""The live page of 1,024 workers that emit thousands of events a second, watched in Chromium: frames, how often it draws, its heap, and what it complained of."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trajectories.bench.asleep import rss_mb
from trajectories.bench.chromium import Missing, chromium, quantiles
from trajectories.bench.entering import by_page
from trajectories.bench.feed import Feed
from trajectories.bench.served import served
from trajectories.bench.visible import SOCKETS, WATCH, Sockets

WORKERS, RATE, SECONDS, EVERY_S, SETTLING_S = 1024, 2_000, 120, 20, 4
#: When the census changed, when the lanes showed another picture, how long frames took.
NOTE = """
window.noted = { census: [], pictures: [], frames: [] };
addEventListener("DOMContentLoaded", () => {
  const census = document.getElementById("census");
  if (!census) return;
  new MutationObserver(() => noted.census.push(performance.now())).observe(census, { childList: true, subtree: true, characterData: true });
  document.getElementById("lanes").addEventListener("painted", ({ detail }) => noted.pictures.push([detail.pictures, performance.now()]));
  let last = performance.now();
  const frame = (now) => (noted.frames.push(now - last), (last = now), requestAnimationFrame(frame));
  requestAnimationFrame(frame);
});
"""


def watched() -> dict[str, Any]:
    """`census_a_second` and `pictures_a_second` are the most in any second (goal 4); `heap_mb` and the server's `rss_mb` every twenty seconds; `complaints` must be empty."""
    try:
        with chromium() as browser, served(WORKERS) as app:
            return _look(browser, app)
    except Missing as fault:
        return {"measured": False, "why": str(fault)}


def _look(browser: Any, app: dict[str, Any]) -> dict[str, Any]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, complaints, opened = context.new_page(), list[str](), list[str]()
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda problem: complaints.append(str(problem)))
    page.on("websocket", lambda each: opened.append(each.url))
    for script in (WATCH, NOTE):
        page.add_init_script(script)
    by_page(page, app["link"])
    page.goto(f"{app['url']}/runs/{app['slug']}/")
    page.wait_for_function("() => document.querySelector('#census')?.textContent.includes('1,024')", timeout=60_000)
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())
    session, heap, memory = context.new_cdp_session(page), list[int](), list[int]()
    with Sockets(app, cookie) as sockets, Feed(app, RATE) as feed:
        for _ in range(SECONDS // EVERY_S):
            page.wait_for_timeout(EVERY_S * 1000)
            heap.append(_heap_mb(session))
            memory.append(rss_mb(app["pid"]))
    page.wait_for_timeout(SETTLING_S * 1000)
    noted = page.evaluate("noted")
    seen = {int(k): at for k, at in page.evaluate("window.seen").items() if at}
    delays = [at - feed.emitted[k] for k, at in seen.items() if k in feed.emitted]
    return {
        "measured": True,
        "events_per_s": round(feed.shipped / feed.seconds),
        "emitted_to_visible_ms": quantiles(delays),
        "never_seen": len(feed.emitted) - len(delays),
        "bare_sockets": SOCKETS,
        "unreported_gaps": sockets.gaps,
        "sockets_opened_by_the_page": len(opened),
        "frame_ms": quantiles(noted["frames"]),
        "census_a_second": _most(_apart(noted["census"])),
        "pictures_a_second": _most(dict(reversed(noted["pictures"])).values()),
        "heap_mb": heap,
        "rss_mb": memory,
        "complaints": complaints[:10],
        "goals": {"p95_ms": 1_000, "a_second": 4},
    }


def _heap_mb(session: Any) -> float:
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    return round((used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6)


def _apart(times: list[float], ms: float = 20.0) -> list[float]:
    """What one drawing changes comes in one breath."""
    return [at for k, at in enumerate(times) if k == 0 or at - times[k - 1] > ms]


def _most(times: Any) -> int:
    """Of any second of the clock."""
    return max(Counter(int(at / 1000) for at in times).values(), default=0)
