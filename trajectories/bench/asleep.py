"""Fifty sockets that never read beside fifty that do, on the real app under load: what that costs the server and those who read, and what the sleepers hold once they read."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

from trajectories.bench.broadcasting import ranked
from trajectories.bench.entering import by_client
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

WORKERS, EACH, RATE = 64, 50, 2_000
SECONDS = 20.0  # shorter than the 40 s after which who answers no ping is cut off
PROBE_S, WORDS = 0.004, "-" + "x" * 900  # changes enough to fill what a server and a kernel hold for a socket
Told = list[dict[str, Any]]


def asleep(each: int = EACH, rate: int = RATE, seconds: float = SECONDS) -> dict[str, Any]:
    """First the readers alone, then with as many sleepers beside them.

    `latency_ms` = from an event's own time to a reader that has it; `markers` = messages that said the log went on, and not how; `lost` and `doubled` are changes
    that somebody does not hold, or holds twice, after reading what the markers name; `silent` = changes passed over without a word. All three must be 0.
    """
    with served(WORKERS) as app, httpx.Client(base_url=app["url"], follow_redirects=True, timeout=60) as client:
        by_client(client, app["link"])
        told: dict[str, Any] = {"sockets_each": each, "rss_mb": {"before": rss_mb(app["pid"])}}
        for name, sleepers in (("alone", 0), ("beside_sleepers", each)):
            awake, late, emitted = asyncio.run(_watch(app, client, (each, sleepers), rate, seconds))
            log = _log(client, app["slug"])
            told["rss_mb"][name] = rss_mb(app["pid"])
            told[name] = {
                "events_per_s": emitted,
                "latency_ms": ranked([pause for one in awake for pause in _delays(one)]),
            }
            held = [_hold(one, log) for one in (*awake, *late)]
            told[name] |= {
                "lost": sum(len(set(log) - set(one)) for one in held),
                "doubled": sum(len(one) - len(set(one)) for one in held),
            }
            told[name] |= {"silent": sum(len(silent_gaps(one)) for one in (*awake, *late))}
            told[name] |= {
                "markers_to_readers": _markers(awake),
                "markers_to_sleepers": _markers(late),
                "sleepers_marked": sum(_markers([one]) > 0 for one in late),
            }
        return told


def rss_mb(pid: int) -> int:
    """Resident memory of a process."""
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


async def _watch(
    app: dict[str, Any], client: httpx.Client, counts: tuple[int, int], rate: int, seconds: float
) -> tuple[list[Told], list[Told], int]:
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    awake = [await _open(app, cookies, small=False) for _ in range(counts[0])]
    sleepers = [await _open(app, cookies, small=True) for _ in range(counts[1])]
    heard: list[Told] = [[] for _ in awake]
    tasks = [asyncio.create_task(_read(each, into)) for each, into in zip(awake, heard, strict=True)]
    feed = Feed(app, rate, PROBE_S, WORDS)
    await asyncio.to_thread(feed.__enter__)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(feed.__exit__)
    await asyncio.sleep(3.0)
    late: list[Told] = [[] for _ in sleepers]
    tasks += [asyncio.create_task(_read(each, into)) for each, into in zip(sleepers, late, strict=True)]
    await asyncio.sleep(4.0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for each in (*awake, *sleepers):
        each.transport.abort()
    return heard, late, round(feed.shipped / feed.seconds)


async def _open(app: dict[str, Any], cookies: str, *, small: bool) -> Any:
    raw = socket.socket()
    if small:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    raw.connect(("127.0.0.1", int(app["url"].rpartition(":")[2])))
    raw.setblocking(False)
    more: dict[str, Any] = {
        "compression": None,
        "max_size": None,
        "max_queue": 1 if small else None,
        "ping_interval": None,
    }
    headers = {"Cookie": cookies, "Origin": app["url"]}
    url = f"{app['url'].replace('http', 'ws', 1)}/ws/runs/{app['slug']}/"
    return await connect(url, sock=raw, additional_headers=headers, **more)


async def _read(each: Any, into: Told) -> None:
    async for text in each:
        into.append({**json.loads(text), "heard": time.time()})


def _delays(told: Told) -> list[float]:
    """Seconds from the newest event of each batch to the moment it was read."""
    return [each["heard"] - max(record[1] for record in each["changes"]) / 1000 for each in told if each.get("changes")]


def _markers(told: list[Told]) -> int:
    """Messages that say the log went on without telling how: read it."""
    return sum("changes" not in b and b["to"] > a["to"] for one in told for a, b in pairwise(one))


def silent_gaps(told: Told) -> list[tuple[int, int]]:
    """Where a batch does not go on from the message before it, which told neither the changes between nor that there are some."""
    return [(a["to"], b["from"]) for a, b in pairwise(told) if "changes" in b and b["from"] > a["to"] + 1]


def _hold(told: Told, log: list[int]) -> list[int]:
    """What a browser holds that follows the rules: what it is told, and what it reads of the log at its opening, after a gap, at a marker, and at the end."""
    held: list[int] = []
    for message in told:
        c = held[-1] if held else 0
        if "changes" in message and message["from"] <= c + 1:
            held += [record[0] for record in message["changes"] if record[0] > c]
        else:
            held += [each for each in log if c < each <= message["to"]]
    return held + [each for each in log if not held or each > held[-1]]


def _log(client: httpx.Client, slug: str) -> list[int]:
    found: list[int] = []
    while page := client.get(f"/api/v1/runs/{slug}/changes?after={found[-1] if found else 0}&limit=10000").json()[
        "changes"
    ]:
        found += [record[0] for record in page]
    return found
