"""Fan-out: one run's change batches to 200 sockets of a web process, beside the same texts broadcast over bare websockets."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async

from runs import people
from runs.models import Run
from trajectories.bench.broadcasting import Bare, Reader, ranked
from trajectories.bench.scratch import enrolments, notes, scratch_run
from trajectories.bench.webs import Served, web_process
from trajectories.derive import Deriver
from trajectories.ingest.store import store

SOCKETS, BATCHES, BATCH, EVERY_S = (
    200,
    120,
    50,
    0.25,
)  # shorter than the 40 s after which a reader that answers no ping is cut off
#: Whoever writes rings the web process' bell after each commit, as Redis would: here by a datagram.
RINGING = """
import os, socket, threading
from trajectories.live import doorbell
bell = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
bell.bind(("127.0.0.1", int(os.environ["BENCH_BELL"])))
def hear():
    while True:
        doorbell.ring(int(bell.recv(64)))
threading.Thread(target=hear, daemon=True).start()
"""


def fanout() -> dict[str, Any]:
    """`ratio_cpu` = the web process's processor time per message, what it reads of the database included, over a bare broadcast's.

    `ratio_p99` = from commit to the last bytes at a socket, over the same from a bare broadcast's call. Both servers run all the time and speak by turns,
    texts of the same sizes at the same rate, read by the same readers: what else the machine does strikes both.
    """
    with scratch_run() as run:
        store(run.pk, "run", enrolments(64))
        mind = Deriver(run.pk)
        mind.wake()
        person = people.add(f"bench-{time.time_ns()}", "viewer", None)
        try:
            with bell() as ring, web_process(RINGING) as server:
                heard = asyncio.run(_listen(server, person, run, mind, ring))
        finally:
            person.delete()
    bare = heard.pop("bare")
    ours = heard.pop("cpu_s") / heard["messages"] * 1e6
    told = {
        **heard,
        "cpu_us_per_message": round(ours, 1),
        "raw_us_per_message": bare["us"],
        "raw_latency_ms": bare["latency_ms"],
    }
    ratios = {
        "ratio_cpu": round(ours / bare["us"], 2),
        "ratio_p99": round(heard["latency_ms"]["p99"] / bare["latency_ms"]["p99"], 2),
    }
    return {**told, **ratios, "goal_cpu": 2.0, "goal_p99": 1.5, "goal_unreported_loss": 0}


@contextmanager
def bell() -> Iterator[Callable[[int], None]]:
    """Rings the web process that is started meanwhile."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        place = probe.getsockname()
    os.environ["BENCH_BELL"] = str(place[1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield lambda run_id: void(sender.sendto(str(run_id).encode(), place))


def void(_: object) -> None:
    """Nothing is answered to a bell."""


async def _listen(server: Served, person: Any, run: Run, mind: Deriver, ring: Callable[[int], None]) -> dict[str, Any]:
    """200 sockets while the run says 50 things four times a second: messages, and changes neither delivered nor reported."""
    client = await sync_to_async(server.signed_in)(person)
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    client.close()
    readers = [await Reader.open(server.url, f"/ws/runs/{run.slug}/", cookies) for _ in range(SOCKETS)]
    bare = Bare(SOCKETS)
    await bare.open()
    await asyncio.sleep(1.0)
    cpu, before = _cpu(server.pid), sum(len(each.texts()) for each in readers)
    committed: list[tuple[int, float]] = []
    for k in range(BATCHES):
        began, size = time.perf_counter(), readers[0].bytes
        await sync_to_async(_say)(run.pk, mind, k)
        committed.append((mind.c, time.perf_counter()))
        ring(run.pk)
        await asyncio.sleep(max(0.0, EVERY_S / 2 - (time.perf_counter() - began)))
        bare.say(readers[0].bytes - size or 1)
        await asyncio.sleep(max(0.0, EVERY_S - (time.perf_counter() - began)))
    await asyncio.sleep(2.0)
    cpu = _cpu(server.pid) - cpu
    for each in readers:
        each.close()
    seen = [_Seen(each.texts(), committed) for each in readers]
    messages = sum(each.messages for each in seen) - before
    size = round(sum(each.bytes for each in seen) / max(1, sum(each.messages for each in seen)))
    told = {"sockets": SOCKETS, "batches": BATCHES, "messages": messages, "bytes_mean": size, "cpu_s": cpu}
    return {
        **told,
        "bare": await bare.end(),
        "latency_ms": ranked([delay for each in seen for delay in each.delays]),
        "unreported_loss": sum(each.lost for each in seen),
        "never_told": sum(each.c != mind.c for each in seen),
    }


def _say(run_id: int, mind: Deriver, k: int) -> None:
    store(run_id, "board", notes(BATCH, first=1 + k * BATCH))
    mind.wake()


class _Seen:
    """One socket's record: a message must go on where the one before ended, or say that the log is to be read."""

    def __init__(self, texts: list[tuple[float, bytes]], committed: list[tuple[int, float]]) -> None:
        self.messages, self.bytes, self.lost = len(texts), sum(len(text) for _, text in texts), 0
        self.c: int | None = None
        self.delays: list[float] = []
        for at, text in texts:
            told = json.loads(text)
            if "changes" in told and self.c is not None and told["from"] > self.c + 1:
                self.lost += told["from"] - self.c - 1
            # A message may hold several batches, or part of one: its delay is that of the oldest batch it completes.
            done = [when for c, when in committed if (self.c or 0) < c <= told["to"]]
            self.delays += [at - done[0]] if done else []
            self.c = told["to"]


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
