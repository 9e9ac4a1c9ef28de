"""A board under load: workers that wait for notes, say what they were shown and write, as the turn loop does; and the bare log below it."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trajectories.bench.lines import Line
from trajectories.bench.programs import many_sockets

WAIT_S = 25
SETTLE_S = 60.0
WRITERS = 64


@dataclass
class Worker:
    """One worker's two connections, its place on the board, and what it was shown."""

    name: str
    waiting: Line
    talking: Line
    place: int = 0
    seen: list[int] = field(default_factory=list)


def tokens(folder: Path, workers: int) -> Path:
    """A tokens file for so many workers; each one's token is its name."""
    path = folder / "tokens.json"
    names = [f"w{n:04d}" for n in range(1, workers + 1)]
    path.write_text(json.dumps({"workers": {name: name for name in names}, "ingest": "ingest"}))
    return path


async def polling(url: str, workers: int, seconds: float, notes_a_second: float) -> dict[str, Any]:
    """All workers wait for notes while notes are written at a steady rate. Latencies are from the writer's call to each reader's
    answer; `lost` and `doubled` count notes that a worker was never or twice answered."""
    many_sockets(2 * workers)
    team = [Worker(f"w{n:04d}", Line(url, f"w{n:04d}"), Line(url, f"w{n:04d}")) for n in range(1, workers + 1)]
    begun, took, stop = dict[str, float](), list[float](), asyncio.Event()
    for start in range(0, workers, 128):  # they join one after the other, as a ramp would have it
        await asyncio.gather(*(_join(worker) for worker in team[start : start + 128]))
    readers = [asyncio.create_task(_read(worker, begun, took, stop)) for worker in team]
    written = await _write(team, begun, seconds, notes_a_second)
    end = time.monotonic() + SETTLE_S
    while any(worker.place < max(written) for worker in team) and time.monotonic() < end:
        await asyncio.sleep(0.05)
    stop.set()
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    for worker in team:
        worker.waiting.close()
        worker.talking.close()
    took.sort()

    def at(share: float) -> float:
        return round(took[int(share * (len(took) - 1))] * 1000, 1) if took else 0.0

    return {
        "workers": workers,
        "notes": len(written),
        "notes_per_s": round(len(written) / seconds, 1),
        "answers": len(took),
        "p50_ms": at(0.5),
        "p95_ms": at(0.95),
        "max_ms": at(1.0),
        "lost": sum(len(set(written) - set(worker.seen)) for worker in team),
        "doubled": sum(len(worker.seen) - len(set(worker.seen)) for worker in team),
    }


async def _join(worker: Worker) -> None:
    page = await worker.waiting.json("GET", "/notes?after=0&via=peek&wait=0")
    worker.place = page["upto"]


async def _read(worker: Worker, begun: dict[str, float], took: list[float], stop: asyncio.Event) -> None:
    while not stop.is_set():
        page = await worker.waiting.json("GET", f"/notes?after={worker.place}&via=peek&wait={WAIT_S}")
        now = time.monotonic()
        took += [now - begun[note["text"]] for note in page["notes"]]
        worker.seen += [note["note"] for note in page["notes"]]
        worker.place = page["upto"]
        if page["notes"]:
            await worker.talking.json("POST", "/reads", {"via": "turn", "upto": worker.place})


async def _write(team: list[Worker], begun: dict[str, float], seconds: float, rate: float) -> list[int]:
    """Notes of one worker after the other, one every 1/rate seconds, each sent when it is due whatever became of the last."""
    began, sent = time.monotonic(), list[asyncio.Task[int]]()

    async def one(worker: Worker) -> int:
        text = f"fact {secrets.token_hex(8)}"
        begun[text] = time.monotonic()
        return int((await worker.talking.json("POST", "/notes", {"type": "FACT", "text": text}))["note"])

    while (spent := time.monotonic() - began) < seconds:
        if len(sent) < spent * rate:
            sent.append(asyncio.create_task(one(team[len(sent) * 7 % len(team)])))
        await asyncio.sleep(0.002)
    return list(await asyncio.gather(*sent))


async def writing(url: str, seconds: float) -> dict[str, Any]:
    """As many writers as a busy team has, each writing its next note as soon as the last was admitted."""
    end, count = time.monotonic() + seconds, 0

    async def write(name: str) -> None:
        nonlocal count
        line = Line(url, name)
        while time.monotonic() < end:
            await line.json("POST", "/notes", {"type": "FACT", "text": f"fact {secrets.token_hex(8)}"})
            count += 1
        line.close()

    began = time.monotonic()
    await asyncio.gather(*(write(f"w{n:04d}") for n in range(1, WRITERS + 1)))
    return {"writers": WRITERS, "notes_per_s": round(count / (time.monotonic() - began))}


def bare_appends(folder: Path, seconds: float) -> int:
    """Rows a second that the same database takes, one commit each, with nothing around it: the ceiling of a board without groups."""
    db = sqlite3.connect(folder / "bare.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL)")
    row = {"seq": 1, "at": "2027-01-15T08:00:00.000Z", "op": "note", "worker": "w0001", "note": 1, "type": "FACT"}
    text = json.dumps({**row, "text": f"fact {secrets.token_hex(8)}", "detail": None, "delegation_id": None})
    began, count = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        count += 1
        db.execute("INSERT INTO log VALUES (?, ?)", (count, text))
    db.close()
    return round(count / (time.monotonic() - began))
