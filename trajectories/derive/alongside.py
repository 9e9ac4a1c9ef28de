"""Settling in a process of its own while a run is still being stored: two processors instead of one after the other.

Whoever stores says up to which time all has come; the other folds that far and waits for more. It is only ever ahead by what is sure:
should an event come later than was thought, all of it is given up, and the run is settled from its beginning once it is stored.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Self

from django.db import connection

from trajectories.derive.settle import settle
from trajectories.models.weaving import growing
from trajectories.processes import READING, end, start

FROM_BYTES = 16 << 20  # of less, another process has hardly begun before all is stored
LATE_MS = 300_000  # at least so much of the run's time is waited for what comes late, and
TIMES = 3  # so many times the latest that was met; with 5/4 a simulated bundle, whose steps are not in order of receipt, was not waited for
KNOWN_MS = 60_000  # and so much where it is known when the earliest was that is still to come: a delivery may tell of a moment before its own
STEP_MS = 60_000  # of the run's time: the least that is handed over at once
AT_ONCE_MS = 600_000  # and the most that is read at once
END = 1 << 62


class Alongside:
    """The other process, seen by the one that stores. It begins with what is stored first, and ends with the `with` block."""

    def __init__(self, run_id: int, size: int) -> None:
        """`size` = bytes to be stored; of few, or where no other process could see them, nothing is done alongside."""
        seen = not connection.in_atomic_block and "mode=memory" not in str(connection.settings_dict["NAME"])
        self.sure = seen and size > FROM_BYTES and len(os.sched_getaffinity(0)) > 1
        self.run_id = run_id
        self.process: subprocess.Popen[bytes] | None = None
        self.upto = self.newest = -1
        self.late = 0

    def __enter__(self) -> Self:
        return self

    def stored(self, told: Sequence[tuple[int, int]], nothing_before: int | None = None) -> None:
        """These deliveries are stored: when the first event of each was, and when it was received; ms, nearly in order of receipt.

        `nothing_before` = the time of the earliest delivery that is still to come, where that is known.
        """
        if min(told)[0] <= self.upto:
            self.sure = False
            self.end()
        for at, received_at in told:
            self.newest = max(self.newest, received_at)
            self.late = max(self.late, self.newest - at)
        upto = (
            min(received_at for _, received_at in told) - max(LATE_MS, TIMES * self.late)
            if nothing_before is None
            else min(nothing_before, self.newest) - KNOWN_MS
        )
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
        process, self.process = self.process, None
        return end(process)

    def _say(self, moment: int) -> None:
        if self.process is None:
            self.process = start(__name__, str(self.run_id))
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(b"%d\n" % moment)
            self.process.stdin.flush()
        except BrokenPipeError:  # it has died, and has said why
            self.sure = False


def main(run: str) -> None:
    """Settle that run. Moments on standard input, the last one `END`; progress on standard output."""
    run_id = int(run)
    moments: SimpleQueue[int] = SimpleQueue()
    threading.Thread(target=_hear, args=(moments,), daemon=True).start()
    settle(run_id, told=lambda done, of: print(done, flush=True), pieces=growing(run_id, _steps(moments), READING))
    os._exit(0)


def _hear(moments: SimpleQueue[int]) -> None:
    """Nobody there any more: end at once, for whoever takes the import up again settles by itself."""
    for line in sys.stdin.buffer:
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
