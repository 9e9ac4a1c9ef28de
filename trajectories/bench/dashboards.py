"""1,024 workers that say thousands of things a second to 200 open dashboards: what the app spends, and whether anybody misses anything."""

from __future__ import annotations

import asyncio
import json
import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from trajectories.bench.broadcasting import Reader
from trajectories.bench.entering import by_client
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

WORKERS, SOCKETS, RATE, SECONDS, SETTLING_S = 1024, 200, 4_000, 20.0, 5.0


def dashboards() -> dict[str, Any]:
    """`cpu_share` = processor time of the app, ingest and deriving included, a second of the clock; `gaps` and `behind` must be 0."""
    with served(WORKERS) as app:
        return asyncio.run(_watched(app))


async def _watched(app: dict[str, Any]) -> dict[str, Any]:
    with httpx.Client(base_url=app["url"], follow_redirects=True, timeout=60) as client:
        by_client(client, app["link"])
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    readers = [await Reader.open(app["url"], f"/ws/runs/{app['slug']}/", cookies) for _ in range(SOCKETS)]
    cpu, began = _cpu(app["pid"]), time.monotonic()
    with Feed(app, RATE) as feed:
        await asyncio.sleep(SECONDS)
    await asyncio.sleep(SETTLING_S)
    cpu, seconds = _cpu(app["pid"]) - cpu, time.monotonic() - began
    for each in readers:
        each.close()
    told = [[json.loads(text) for _, text in each.texts()] for each in readers]
    newest = max(each[-1]["n"] for each in told)
    return {
        "workers": WORKERS,
        "sockets": SOCKETS,
        "events_per_s": round(feed.shipped / feed.seconds),
        "refused": feed.refused,
        "socket_messages": sum(map(len, told)),
        "messages_per_socket_and_s": round(sum(map(len, told)) / SOCKETS / seconds, 2),
        "cpu_share": round(cpu / seconds, 2),
        "cpu_us_per_event": round(cpu / max(1, feed.shipped) * 1e6, 1),
        "gaps": sum(_gaps(each) for each in told),
        "behind": sum(each[-1]["n"] < newest for each in told),
    }


def _gaps(messages: list[dict[str, Any]]) -> int:
    return sum("changes" in after and after["from"] > before["to"] + 1 for before, after in pairwise(messages))


def _cpu(pid: int) -> float:
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
