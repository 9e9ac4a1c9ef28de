"""Fan-out: one run's change batches to 200 sockets of a running app, beside the same texts broadcast over bare websockets."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import time
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast, serve

from trajectories.bench.feed import Feed
from trajectories.bench.served import served

SOCKETS, SECONDS, RATE, SETTLING_S = 200, 20.0, 200, 3.0


def fanout() -> dict[str, Any]:
    """`ratio_cpu` = processor time of the app per message to a socket, less what the same feed costs it without sockets, over bare broadcast."""
    with served(64) as app:
        with Feed(app, RATE):
            time.sleep(SETTLING_S)
            alone = _burn(app["pid"], lambda: time.sleep(SECONDS / 2)) / (SECONDS / 2)
            heard = asyncio.run(_listen(app))
        spent = heard.pop("cpu_s") - alone * heard.pop("seconds")
    bare = _bare(heard["bytes_mean"], heard["messages"] // SOCKETS)
    ours = spent / heard["messages"] * 1e6
    told = {**heard, "cpu_us_per_message": round(ours, 1), "raw_us_per_message": bare["cpu_us_per_message"]}
    return {
        **told,
        "ratio_cpu": round(ours / bare["cpu_us_per_message"], 2),
        "goal_cpu": 2.0,
        "goal_unreported_loss": 0,
    }


async def _listen(app: dict[str, Any]) -> dict[str, Any]:
    """200 sockets for a while: messages, and changes neither delivered nor reported as to be fetched."""
    with httpx.Client(base_url=app["url"], follow_redirects=True) as client:
        client.get(app["link"])
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    url = app["url"].replace("http", "ws") + f"/ws/runs/{app['slug']}/"
    headers = {"Cookie": cookies, "Origin": app["url"]}
    sockets = [await connect(url, additional_headers=headers, compression=None, max_size=None) for _ in range(SOCKETS)]
    seen = [_Seen() for _ in sockets]
    tasks = [asyncio.create_task(each.follow(socket)) for each, socket in zip(seen, sockets, strict=True)]
    await asyncio.sleep(1.0)
    began, cpu, before = time.perf_counter(), _cpu(app["pid"]), sum(each.messages for each in seen)
    await asyncio.sleep(SECONDS)
    seconds, cpu = time.perf_counter() - began, _cpu(app["pid"]) - cpu
    messages = sum(each.messages for each in seen) - before
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for socket in sockets:
        await socket.close()
    sizes = [each.bytes / max(1, each.messages) for each in seen]
    told = {"sockets": SOCKETS, "messages": messages, "bytes_mean": round(statistics.mean(sizes)), "seconds": seconds}
    return {**told, "cpu_s": cpu, "unreported_loss": sum(each.lost for each in seen)}


class _Seen:
    """One socket's record: a message must go on where the one before ended, or say that the log is to be read."""

    def __init__(self) -> None:
        self.messages = self.bytes = self.lost = 0
        self.c: int | None = None

    async def follow(self, socket: Any) -> None:
        async for text in socket:
            self.messages += 1
            self.bytes += len(text)
            told = json.loads(text)
            if "changes" in told and self.c is not None and told["from"] > self.c + 1:
                self.lost += told["from"] - self.c - 1
            self.c = told["to"]


def _bare(size: int, rounds: int) -> dict[str, Any]:
    """Processor microseconds a message of `websockets.broadcast` in a process of its own."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_broadcasting, args=(theirs, size, max(20, rounds)))
    process.start()
    try:
        port = ours.recv()
        return asyncio.run(_read_bare(port, ours))
    finally:
        process.join(30)


def _broadcasting(pipe: Any, size: int, rounds: int) -> None:
    async def run() -> None:
        found: set[Any] = set()

        async def hold(socket: Any) -> None:
            found.add(socket)
            await socket.wait_closed()

        async with serve(hold, "127.0.0.1", 0, compression=None) as server:
            pipe.send(server.sockets[0].getsockname()[1])
            while len(found) < SOCKETS:
                await asyncio.sleep(0.05)
            text, cpu = "x" * size, time.process_time()
            for _ in range(rounds):
                broadcast(found, text)
                await asyncio.sleep(0.05)
            pipe.send((time.process_time() - cpu) / (rounds * SOCKETS) * 1e6)

    asyncio.run(run())


async def _read_bare(port: int, pipe: Any) -> dict[str, Any]:
    sockets = [await connect(f"ws://127.0.0.1:{port}", compression=None) for _ in range(SOCKETS)]

    async def read(socket: Any) -> None:
        async for _ in socket:
            pass

    tasks = [asyncio.create_task(read(socket)) for socket in sockets]
    while not pipe.poll():
        await asyncio.sleep(0.1)
    spent = pipe.recv()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {"cpu_us_per_message": round(spent, 1)}


def _burn(pid: int, work: Any) -> float:
    before = _cpu(pid)
    work()
    return _cpu(pid) - before


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
