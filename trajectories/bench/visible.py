"""Emitted to visible: from a pull handed to the ingest door until Chromium has painted its row on the live page."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast, serve

from trajectories.bench.chromium import Missing, chromium, quantiles
from trajectories.bench.entering import by_page
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

RATES = (200, 2_000)
WORKERS, SOCKETS, SECONDS, SETTLING_S = 64, 49, 25.0, 4.0
# Noted in the frame after the one that shows it: then it is on the glass.
WATCH = """
window.seen = {};
new MutationObserver(() => {
  const found = document.body?.innerText.match(/visible-\\d+/g) ?? [];
  const fresh = found.map((word) => Number(word.slice(8))).filter((k) => !(k in window.seen));
  for (const k of fresh) window.seen[k] = 0;
  if (fresh.length) requestAnimationFrame(() => requestAnimationFrame(() => { for (const k of fresh) window.seen[k] = performance.timeOrigin + performance.now(); }));
}).observe(document, { childList: true, subtree: true, characterData: true });
"""

BARE = """<!doctype html><body><script>
new WebSocket(location.href.replace("http", "ws")).onmessage = (e) => document.body.append(e.data, document.createElement("br"));
</script>"""


def visible() -> dict[str, Any]:
    """One Chromium and 49 bare sockets on one run, at each rate; beside it a bare page told the same words over a bare socket."""
    try:
        with chromium() as browser:
            told = {f"at_{rate}_events_s": _at(browser, rate) for rate in RATES}
            bare = _bare(browser)
    except Missing as fault:
        return {"measured": False, "why": str(fault)}
    worst = told[f"at_{RATES[-1]}_events_s"]["emitted_to_visible_ms"]["p95"]
    return {
        "measured": True,
        **told,
        "bare_page_ms": bare,
        "ratio_p95": round(worst / max(bare["p95"], 1), 1),
        "goal_p95_ms": 1_000,
    }


def _at(browser: Any, rate: int) -> dict[str, Any]:
    with served(WORKERS) as app:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.add_init_script(WATCH)
        by_page(page, app["link"])
        page.goto(f"{app['url']}/runs/{app['slug']}/")
        page.wait_for_function(
            f"() => document.querySelector('#census')?.textContent.includes('{WORKERS} workers')", timeout=60_000
        )
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())
        with Sockets(app, cookie) as sockets, Feed(app, rate) as feed:
            page.wait_for_timeout(SECONDS * 1000)
        page.wait_for_timeout(SETTLING_S * 1000)
        seen = {int(k): at for k, at in page.evaluate("window.seen").items() if at}
        context.close()
    delays = [at - feed.emitted[k] for k, at in seen.items() if k in feed.emitted]
    missing = len(feed.emitted) - len(delays)
    told = {"events_per_s": round(feed.shipped / feed.seconds), "refused": feed.refused, "probes": len(feed.emitted)}
    told |= {
        "never_seen": missing,
        "bare_sockets": SOCKETS,
        "unreported_gaps": sockets.gaps,
        "socket_messages": sockets.messages,
    }
    return {**told, "emitted_to_visible_ms": quantiles(delays) if delays else None}


class Sockets:
    """Bare sockets on the same run, in a thread of their own: every message must follow from the one before, or say where to read on."""

    def __init__(self, app: dict[str, Any], cookie: str) -> None:
        self.url = app["url"].replace("http", "ws", 1) + f"/ws/runs/{app['slug']}/"
        self.headers = {"Cookie": cookie, "Origin": app["url"]}
        self.gaps = self.messages = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._all()), daemon=True)

    def __enter__(self) -> Sockets:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join(20)

    async def _all(self) -> None:
        tasks = [asyncio.create_task(self._one()) for _ in range(SOCKETS)]
        while not self.over.is_set():
            await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self) -> None:
        to: int | None = None
        async with connect(self.url, additional_headers=self.headers, compression=None, max_size=None) as socket:
            async for text in socket:
                message = json.loads(text)
                if to is not None and "from" in message and message["from"] > to + 1:
                    self.gaps += 1
                to = message["to"]
                self.messages += 1


def _bare(browser: Any, rounds: int = 40) -> dict[str, float]:
    """The ceiling: the same words broadcast over one raw socket to a page that only appends them."""
    sent: dict[int, float] = {}
    told: queue.Queue[int] = queue.Queue()
    thread = threading.Thread(target=lambda: asyncio.run(_broadcasting(rounds, sent, told)), daemon=True)
    thread.start()
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(f"http://127.0.0.1:{told.get(timeout=10)}/")
    thread.join(30)
    seen = {int(k): at for k, at in page.evaluate("window.seen").items() if at}
    page.close()
    return quantiles([at - sent[k] for k, at in seen.items()])


async def _broadcasting(rounds: int, sent: dict[int, float], told: queue.Queue[int]) -> None:
    clients: set[Any] = set()

    async def on(socket: Any) -> None:
        clients.add(socket)
        await socket.wait_closed()

    def page(connection: Any, request: Any) -> Any:
        if request.headers.get("Upgrade"):
            return None
        answer = connection.respond(200, BARE)
        del answer.headers["Content-Type"]
        answer.headers["Content-Type"] = "text/html"
        return answer

    async with serve(on, "127.0.0.1", 0, compression=None, process_request=page) as server:
        told.put(next(iter(server.sockets)).getsockname()[1])
        while not clients:
            await asyncio.sleep(0.05)
        for k in range(1, rounds + 1):
            sent[k] = time.time() * 1000
            broadcast(clients, f"visible-{k}")
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
