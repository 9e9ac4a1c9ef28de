"""Fifty sockets that never read beside fifty that do, on a real server: nobody waits for them, and nobody loses a change unreported."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from itertools import pairwise
from typing import Any

import httpx
from websockets.asyncio.client import connect

from trajectories.bench.entering import by_client
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

EACH, SECONDS, RATE = 50, 8.0, 200


def test_fifty_that_never_read_cost_fifty_that_do_nothing() -> None:
    with served(8) as app, httpx.Client(base_url=app["url"], follow_redirects=True, timeout=60) as client:
        by_client(client, app["link"])
        readers, sleepers = asyncio.run(_watch(app, client))
        log = _log(client, app["slug"])
        last = log[-1]
        for told in (*readers, *sleepers):
            held = _hold(told, log)
            assert held == log, "a change was lost, or came twice"
            assert not _silent_gaps(told), "a change was passed over without a word"
        assert all(told[-1]["to"] >= readers[0][-1]["to"] - 1_000 for told in readers)
        assert last > 20
        delays = sorted(pause for told in readers for pause in _pauses(told))
        assert delays[len(delays) // 2] < 2.0, "those who read are told in time, whoever else is not reading"


async def _watch(app: dict[str, Any], client: httpx.Client) -> tuple[list[Any], list[Any]]:
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    headers = {"Cookie": cookies, "Origin": app["url"]}
    url, port = app["url"].replace("http", "ws"), int(app["url"].rpartition(":")[2])

    async def open_one(*, small: bool) -> Any:
        raw = socket.socket()
        if small:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        raw.connect(("127.0.0.1", port))
        raw.setblocking(False)
        more = {"compression": None, "max_size": None, "max_queue": 1 if small else None, "ping_interval": None}
        return await connect(f"{url}/ws/runs/{app['slug']}/", sock=raw, additional_headers=headers, **more)

    awake = [await open_one(small=False) for _ in range(EACH)]
    asleep = [await open_one(small=True) for _ in range(EACH)]
    heard: list[list[Any]] = [[] for _ in awake]
    tasks = [asyncio.create_task(_read(each, into)) for each, into in zip(awake, heard, strict=True)]
    feed = Feed(app, RATE)
    await asyncio.to_thread(feed.__enter__)
    await asyncio.sleep(SECONDS)
    await asyncio.to_thread(feed.__exit__)
    assert feed.shipped > 0
    await asyncio.sleep(3.0)
    late: list[list[Any]] = [[] for _ in asleep]
    tasks += [asyncio.create_task(_read(each, into)) for each, into in zip(asleep, late, strict=True)]
    await asyncio.sleep(3.0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for each in (*awake, *asleep):
        each.transport.abort()
    return heard, late


async def _read(each: Any, into: list[Any]) -> None:
    async for text in each:
        into.append({**json.loads(text), "heard": time.monotonic()})


def _pauses(told: list[Any]) -> list[float]:
    times = [each["heard"] for each in told]
    return [b - a for a, b in pairwise(times)]


def _silent_gaps(told: list[Any]) -> list[tuple[int, int]]:
    """Where a batch does not go on from the message before it, which told neither the changes between nor that there are some."""
    return [(a["to"], b["from"]) for a, b in pairwise(told) if "changes" in b and b["from"] > a["to"] + 1]


def _hold(told: list[Any], log: list[int]) -> list[int]:
    """What a browser holds that follows the rules: what it is told, and what it reads of the log after a gap, a pointer, or at the end."""
    held: list[int] = []
    for message in told:
        c = held[-1] if held else 0
        if "changes" in message and message["from"] <= c + 1:
            held += [record[0] for record in message["changes"] if record[0] > c]
        else:
            held += [each for each in log if c < each <= message["to"]]
    return held + [each for each in log if not held or each > held[-1]]


def _log(client: httpx.Client, slug: str, after: int = 0) -> list[int]:
    found: list[int] = []
    while True:
        page = client.get(f"/api/v1/runs/{slug}/changes?after={after}&limit=10000").json()["changes"]
        if not page:
            return found
        found += [record[0] for record in page]
        after = found[-1]
