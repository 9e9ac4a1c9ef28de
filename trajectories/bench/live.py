"""Live: from emitted to handed to a socket, and what a delivered message costs beside handing the same text on bare queues."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async

from trajectories.bench.scratch import enrolments, notes, scratch_run
from trajectories.derive import Deriver
from trajectories.ingest.store import store
from trajectories.live import doorbell
from trajectories.live.hub import Hub

SOCKETS, BATCHES, BATCH, EVERY_S = 200, 30, 50, 0.25


def live() -> dict[str, Any]:
    """200 sockets watch one run that says 50 things four times a second."""
    with scratch_run() as run:
        store(run.pk, "run", enrolments(64))
        return async_to_sync(_measure)(run.pk)


async def _measure(run_id: int) -> dict[str, Any]:
    hub, mind = Hub(), Deriver(run_id)
    await sync_to_async(mind.wake)()
    emitted: dict[int, float] = {}
    delays: list[float] = []
    sizes: list[int] = []
    sockets = [await hub.join(run_id) for _ in range(SOCKETS)]  # no wire: each has a queue
    readers = [asyncio.create_task(_read(socket, emitted, delays, sizes)) for socket in sockets]
    spent = time.process_time()
    deriving = 0.0
    for k in range(BATCHES):
        began = time.perf_counter()
        cpu = time.process_time()
        await sync_to_async(_say)(run_id, mind, k)
        deriving += time.process_time() - cpu
        emitted[mind.c] = began
        doorbell.ring(run_id)
        await asyncio.sleep(max(0.0, EVERY_S - (time.perf_counter() - began)))
    await asyncio.sleep(1.5)
    spent = time.process_time() - spent - deriving
    for reader, socket in zip(readers, sockets, strict=True):
        reader.cancel()
        hub.leave(socket)
    await asyncio.gather(*readers, return_exceptions=True)
    bare = await _bare(len(sizes), round(statistics.mean(sizes)) if sizes else 1)
    cuts = statistics.quantiles(delays, n=20) if len(delays) > 1 else [0.0] * 19
    told = {"sockets": SOCKETS, "messages": len(sizes), "bytes_mean": round(statistics.mean(sizes)) if sizes else 0}
    told |= {"emitted_to_socket_ms_p50": round(cuts[9] * 1000), "emitted_to_socket_ms_p95": round(cuts[18] * 1000)}
    ours = spent / max(1, len(sizes)) * 1e6
    return {
        **told,
        "cpu_us_per_message": round(ours, 1),
        "bare_queue_us": round(bare, 1),
        "ratio": round(ours / bare, 2),
    }


def _say(run_id: int, mind: Deriver, k: int) -> None:
    store(run_id, "board", notes(BATCH, first=1 + k * BATCH))
    mind.wake()


async def _read(socket: Any, emitted: dict[int, float], delays: list[float], sizes: list[int]) -> None:
    while True:
        text = await socket.next()
        to = int(text.partition('"to":')[2].partition(",")[0])
        # A message may hold several batches: its delay is that of the newest in it.
        began = max((at for c, at in emitted.items() if c <= to), default=None)
        if began is not None:
            delays.append(time.perf_counter() - began)
            sizes.append(len(text))


async def _bare(messages: int, size: int) -> float:
    """CPU microseconds to hand one text to one of as many readers over plain queues."""
    queues: list[asyncio.Queue[str]] = [asyncio.Queue() for _ in range(SOCKETS)]

    async def read(queue: asyncio.Queue[str]) -> None:
        while True:
            await queue.get()

    readers = [asyncio.create_task(read(queue)) for queue in queues]
    began, text = time.process_time(), "x" * size
    rounds = max(1, messages // SOCKETS)
    for _ in range(rounds):
        for queue in queues:
            queue.put_nowait(text)
        await asyncio.sleep(0)
    spent = time.process_time() - began
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    return spent / (rounds * SOCKETS) * 1e6
