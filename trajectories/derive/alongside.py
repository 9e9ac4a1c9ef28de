"""Settling in a process of its own while a run is still being stored: two processors instead of one after the other.

Whoever stores says up to which time all has come; the other folds that far and waits for more. It is only ever ahead by what is sure:
should an event come later than was thought, all of it is given up, and the run is settled from its beginning once it is stored.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Queue, SimpleQueue
from typing import Self

from django.conf import settings
from django.db import connection, connections

from trajectories.derive.settle import Piece, settle
from trajectories.models.reading import growing

FROM_BYTES = 16 << 20  # of less, another process has hardly begun before all is stored
LATE_MS = 300_000  # at least so much of the run's time is waited for what comes late, and
TIMES = 3  # so many times the latest that was met
STEP_MS = 60_000  # of the run's time: the least that is handed over at once
AT_ONCE_MS = 600_000  # and the most that is read at once
PIECE, PIECES = 500, 8  # events read ahead of the fold
END = 1 << 62
NICE = 5  # live teams on the same machine go first
PATIENCE_S = 20
START = "import django; django.setup(); from trajectories.derive.alongside import main; main()"


class Alongside:
    """The other process, seen by the one that stores. It begins with what is stored first, and ends with the `with` block."""

    def __init__(self, run_id: int, size: int) -> None:
        """`size` = bytes to be stored; of few, or where no other process could see them, nothing is done alongside."""
        seen = not connection.in_atomic_block and "mode=memory" not in str(connection.settings_dict["NAME"])
        self.sure = seen and size > FROM_BYTES and len(os.sched_getaffinity(0)) > 1
        self.run_id = run_id
        self.process: subprocess.Popen[str] | None = None
        self.upto = -1
        self.late = LATE_MS // TIMES

    def __enter__(self) -> Self:
        return self

    def stored(self, earliest: int, received_at: int) -> None:
        """What was received up to now is stored, and its earliest event was at `earliest`; both ms."""
        if earliest <= self.upto:
            self.sure = False
            self.end()
        self.late = max(self.late, received_at - earliest)
        upto = received_at - TIMES * self.late
        if self.sure and upto >= self.upto + STEP_MS:
            self.upto = upto
            self._say(upto)

    def finish(self, told: Callable[[int], None]) -> bool:
        """All is stored: wait until it is settled; `told` hears how many events are. False if it has to be done from the beginning."""
        if self.process is None or self.process.stdout is None:
            return False
        self._say(END)
        for line in self.process.stdout:
            told(int(line))
        return self.end() == 0

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> int | None:
        """Its exit code, None if there is none. Without somebody to tell it more it ends by itself."""
        if self.process is None:
            return None
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code, self.process = self.process.wait(), None
        return code

    def _say(self, moment: int) -> None:
        if self.process is None:
            self.process = _begun(self.run_id)
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{moment}\n")
        except BrokenPipeError:  # it has died, and has said why
            self.sure = False


def _begun(run_id: int) -> subprocess.Popen[str]:
    given = [str(run_id), str(connection.settings_dict["NAME"])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(settings.BASE_DIR), *sys.path])}
    command = [sys.executable, "-c", START, *given]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1)


def main() -> None:
    """Arguments: run and database. Moments on standard input, the last one `END`; progress on standard output."""
    run_id, database = int(sys.argv[1]), sys.argv[2]
    connections.databases["default"]["NAME"] = connection.settings_dict["NAME"] = database
    os.nice(NICE)
    moments: SimpleQueue[int] = SimpleQueue()
    threading.Thread(target=_hear, args=(moments,), daemon=True).start()
    settle(run_id, told=lambda done, of: print(done, flush=True), runs=_read_ahead(run_id, _steps(moments)))
    sys.stdout.flush()
    os._exit(0)


def _hear(moments: SimpleQueue[int]) -> None:
    """Nobody there any more: end at once, for whoever takes the import up again settles by itself."""
    for line in sys.stdin:
        moments.put(int(line))
    os._exit(1)


def _steps(moments: SimpleQueue[int]) -> Iterator[int]:
    """Not too much at once: what is being read holds a place in the database's journal."""
    upto = moments.get()
    while upto != END:
        yield upto
        newest = moments.get()
        while newest != END and newest > upto + AT_ONCE_MS:
            upto += AT_ONCE_MS
            yield upto
        upto = newest
    yield END


def _read_ahead(run_id: int, moments: Iterator[int]) -> Iterator[Piece]:
    """Read by a thread, which has a connection of its own: on SQLite one that is reading cannot write once somebody else has written."""
    read: Queue[list[Piece] | BaseException] = Queue(PIECES)

    def reading() -> None:
        try:
            piece: list[Piece] = []
            size = 0
            for each in growing(run_id, moments):
                piece.append(each)
                size += len(each[0]) + 1
                if size >= PIECE:
                    read.put(piece)
                    piece, size = [], 0
            read.put(piece)
            read.put([])
        except BaseException as problem:
            read.put(problem)

    threading.Thread(target=reading, daemon=True).start()
    while piece := read.get():
        if isinstance(piece, BaseException):
            raise piece
        yield from piece
