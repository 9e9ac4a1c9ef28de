"""Looks through a bundle once, ahead of all others and at the beginning of its lines only: from which time on nothing is still to be read.

What a team tells comes minutes after the first of it happened. How many, only the lines that are still to come can say; guessing wide had whoever
folds alongside wait for hours of the run.
"""

from __future__ import annotations

import re
import threading
from array import array
from contextlib import closing, suppress
from itertools import accumulate
from pathlib import Path
from typing import IO

from trajectories.bundle.layout import DAMAGED, BadBundle, Bundle
from trajectories.bundle.lines import texts
from trajectories.events import millis

_AT = re.compile(rb'"at":"([^"\\]{20,40})"')  # as we write lines it is the third of their envelope
_HEAD = 512
_NEVER = 1 << 62


class Scout:
    """A thread that reads. It changes nothing; where it cannot tell, it says nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.earliest: dict[str, array[int]] | None = (
            None  # source -> by line, the time of the earliest delivery from that line on
        )
        self.left = False
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def nothing_before(self, read: dict[str, int]) -> int | None:
        """ms: where every source is read up to these lines, no line after them is of a delivery before this time. None while it is not known."""
        if self.earliest is None:
            return None
        ahead = (times[read.get(source, 0)] for source, times in self.earliest.items())
        return min(ahead, default=_NEVER)

    def leave(self) -> None:
        """It is not needed any more."""
        self.left = True

    def _look(self) -> None:
        with suppress(OSError, BadBundle, *DAMAGED):  # whoever stores says so
            self._look_through()

    def _look_through(self) -> None:
        found: dict[str, array[int]] = {}
        with closing(Bundle(self.path)) as bundle:
            for source in bundle.sources:
                with bundle.open(f"deliveries/{source}.jsonl") as file:
                    times = self._times(file)
                if times is None:
                    return
                found[source] = array("q", list(accumulate(reversed([*times, _NEVER]), min))[::-1])
        self.earliest = found

    def _times(self, file: IO[bytes]) -> list[int] | None:
        """Of each line; None where a line does not begin as ours do."""
        times: list[int] = []
        for text in texts(file):
            said = _AT.search(text, 0, _HEAD)
            if self.left or (said is None and text.strip()):
                return None
            try:
                times.append(_NEVER if said is None else millis(said[1].decode()))
            except (ValueError, OverflowError):
                return None
        return times
