"""A worker with everything it needs, of which a test breaks one thing: model, app, board, peers that write, its own process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.docker.worker.conftest import ENV, FakeApp, FakeModel, Place, ready, spooled
from tests.docker.worker.ledger import Ledger, ledger

PEER = "w9999"


@contextlib.contextmanager
def board_of(folder: Path, names: list[str]) -> Iterator[str]:
    """A board process for these workers and one peer; each worker's token is its name."""
    folder.mkdir(parents=True)
    tokens = {"workers": {name: name for name in [*names, PEER]}, "ingest": "eye"}
    (folder / "tokens.json").write_text(json.dumps(tokens))
    config = {"data_dir": "data", "ready_file": "ready.json", "tokens_file": str(folder / "tokens.json")}
    (folder / "config.json").write_text(json.dumps(config))
    process = subprocess.Popen([sys.executable, "-m", "board", "--config", folder / "config.json"], env=ENV)
    try:
        yield ready(folder / "ready.json", process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def busy(messages: list[dict[str, Any]], steps: int = 3) -> Any:
    """A turn of a few steps in which notes can ride on results: search, wait, search, .., done."""
    start = max(n for n, message in enumerate(messages) if message["role"] == "user")
    done = sum(message["role"] == "tool" for message in messages[start:])
    if done >= steps:
        return "ok"
    return ("shell", {"command": "sleep 0.3"}) if done % 2 else ("board_grep", {"query": "tabs"})


class Subject:
    """One worker under test and what it meets."""

    def __init__(self, folder: Path, name: str = "w0001") -> None:
        self.name, self.notes = name, list[int]()
        self.model, self.app = FakeModel(), FakeApp()
        self.model.think = busy
        self.place = Place(folder / name)
        self.place.config |= {"worker": int(name[1:]), "name": name, "idle_limit_s": 600}
        (self.place.folder / "one.token").write_text(name)

    def items(self) -> dict[tuple[int, int], dict[str, Any]]:
        return spooled(self.place.folder)

    def ledger(self) -> Ledger:
        return ledger(self.app.items.values(), self.notes)

    def listening(self) -> bool:
        """Whether it knows its place on the board: what was written before that is no message to it, it reads it by itself."""
        with contextlib.suppress(sqlite3.Error), contextlib.closing(self._records()) as db:
            return db.execute("SELECT 1 FROM memory WHERE name = 'board'").fetchone() is not None
        return False

    def _records(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.place.folder}/spool/inbox.db?mode=ro", uri=True)

    def in_hand(self) -> int:
        """Items that are leased or shown and not acknowledged, as the worker's own records have it."""
        with contextlib.closing(self._records()) as db:
            return int(db.execute("SELECT count(*) FROM items WHERE state IN ('leased', 'shown')").fetchone()[0])

    def acknowledged(self) -> bool:
        """Whether every note written so far has arrived, as the app knows it."""
        with contextlib.suppress(AssertionError):  # the app has not heard all moves yet
            return self.ledger().clean
        return False

    def loop(self, kind: str, life: int | None = None) -> list[dict[str, Any]]:
        return self.app.loop(kind, life)

    def shipped(self) -> bool:
        """Whether the app has every item of every life, and has none twice."""
        return self.app.items == self.items()

    def harness_pid(self) -> int:
        """The process of its harness, by the parents that /proc tells."""
        assert self.place.process is not None
        children = Path(f"/proc/{self.place.process.pid}/task/{self.place.process.pid}/children").read_text().split()
        return int(next(pid for pid in children if b"worker.mini" in Path(f"/proc/{pid}/cmdline").read_bytes()))

    async def end(self) -> int:
        return await self.place.end()

    async def kill(self) -> None:
        await self.place.end(signal.SIGKILL)


@contextlib.asynccontextmanager
async def writing(board: str, *subjects: Subject, every: float = 0.4) -> AsyncIterator[asyncio.Event]:
    """A peer that writes a note again and again while the block runs, or until the event is set; each is for all subjects."""
    enough = asyncio.Event()

    async def write() -> None:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {PEER}"}, trust_env=False) as peer:
            while not enough.is_set():
                text = f"fact {os.urandom(6).hex()}"
                answer = await peer.post(f"{board}/notes", json={"type": "FACT", "text": text}, timeout=60)
                for subject in subjects:
                    subject.notes.append(answer.json()["note"])
                await asyncio.sleep(every)

    task = asyncio.create_task(write())
    try:
        yield enough
    finally:
        enough.set()
        await task
