"""Fan-out: one run's change batches to 200 sockets of a web process, beside the same texts broadcast over bare websockets."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast, serve

from runs import people
from runs.models import Run
from trajectories.bench.scratch import enrolments, notes, scratch_run
from trajectories.bench.webs import Served, web_process
from trajectories.derive import Deriver
from trajectories.ingest.store import store

SOCKETS, BATCHES, BATCH, EVERY_S = 200, 60, 50, 0.25
#: The server rings its own bell four times a second, as Redis would when a deriver elsewhere has written.
RINGING = """
import threading, time
from trajectories.live import doorbell
def bell():
    while True:
        doorbell.ring(0); time.sleep(0.25)
threading.Thread(target=bell, daemon=True).start()
"""


def fanout() -> dict[str, Any]:
    """`ratio_cpu` = the web process's processor time per message, what it reads of the database included, over a bare broadcast's."""
    with scratch_run() as run:
        store(run.pk, "run", enrolments(64))
        mind = Deriver(run.pk)
        mind.wake()
        person = people.add(f"bench-{time.time_ns()}", "viewer", None)
        try:
            with web_process(RINGING) as server:
                heard = asyncio.run(_listen(server, person, run, mind))
        finally:
            person.delete()
    bare = _bare(heard["bytes_mean"], heard["messages"] // SOCKETS)
    ours = heard.pop("cpu_s") / heard["messages"] * 1e6
    told = {**heard, "cpu_us_per_message": round(ours, 1), "raw_us_per_message": bare}
    return {**told, "ratio_cpu": round(ours / bare, 2), "goal_cpu": 2.0, "goal_unreported_loss": 0}


async def _listen(server: Served, person: Any, run: Run, mind: Deriver) -> dict[str, Any]:
    """200 sockets while the run says 50 things four times a second: messages, and changes neither delivered nor reported."""
    client = await sync_to_async(server.signed_in)(person)
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    client.close()
    url = server.url.replace("http", "ws") + f"/ws/runs/{run.slug}/"
    headers = {"Cookie": cookies, "Origin": server.url}
    sockets = [await connect(url, additional_headers=headers, compression=None, max_size=None) for _ in range(SOCKETS)]
    seen = [_Seen() for _ in sockets]
    tasks = [asyncio.create_task(each.follow(socket)) for each, socket in zip(seen, sockets, strict=True)]
    await asyncio.sleep(1.0)
    cpu, before = _cpu(server.pid), sum(each.messages for each in seen)
    for k in range(BATCHES):
        began = time.perf_counter()
        await sync_to_async(_say)(run.pk, mind, k)
        await asyncio.sleep(max(0.0, EVERY_S - (time.perf_counter() - began)))
    await asyncio.sleep(2.0)
    cpu, messages = _cpu(server.pid) - cpu, sum(each.messages for each in seen) - before
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for socket in sockets:
        await socket.close()
    size = round(sum(each.bytes for each in seen) / max(1, sum(each.messages for each in seen)))
    told = {"sockets": SOCKETS, "batches": BATCHES, "messages": messages, "bytes_mean": size, "cpu_s": cpu}
    return {
        **told,
        "unreported_loss": sum(each.lost for each in seen),
        "never_told": sum(each.c != mind.c for each in seen),
    }


def _say(run_id: int, mind: Deriver, k: int) -> None:
    store(run_id, "board", notes(BATCH, first=1 + k * BATCH))
    mind.wake()


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


def _bare(size: int, rounds: int) -> float:
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


async def _read_bare(port: int, pipe: Any) -> float:
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
    return round(float(spent), 1)


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
