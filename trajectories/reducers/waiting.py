"""Timers in the order in which they are due: by pieces of time, of which only the present one is kept sorted."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final

from trajectories.reducers.tables import Key

_PIECE_MS: Final = 60_000

#: (table, key) -> (due, reference of the event that set it)
Timers = dict[tuple[str, Key], tuple[int, str]]
Due = tuple[int, str, Key]


class Waiting:
    """Follows from `timers`, which it reads and never writes. Most timers are cancelled or moved before they are due: these are dropped when
    their piece of time comes, without having been sorted among the others."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._heap: list[Due] = []  # due before `_near`
        self._later: dict[int, list[Due]] = {}  # the others, by the piece of time they are due in
        self._near = -1
        for (table, key), (due, _) in timers.items():
            self.add(due, table, key)

    def add(self, due: int, table: str, key: Key) -> None:
        """A timer was set."""
        if due < self._near:
            heappush(self._heap, (due, table, key))
        else:
            self._later.setdefault(due // _PIECE_MS, []).append((due, table, key))

    def quiet(self, at: int) -> bool:
        """True if nothing is due by then, as far as one look tells."""
        return at < self._near and not (self._heap and self._heap[0][0] <= at)

    def next(self, at: int) -> Due | None:
        """Take out the next that may be due <= at; whether it still holds, `timers` tells."""
        while True:
            if self._heap and self._heap[0][0] <= at:
                return heappop(self._heap)
            if at < self._near or not self._come_nearer(at):
                return None

    def _come_nearer(self, at: int) -> bool:
        """Take up the next piece of time that has timers and begins by `at`."""
        last = at // _PIECE_MS
        piece = min((each for each in self._later if each <= last), default=None)
        if piece is None:
            self._near = max(self._near, (last + 1) * _PIECE_MS)
            return False
        self._near = (piece + 1) * _PIECE_MS
        for each in self._later.pop(piece):
            told = self._timers.get(each[1:])
            if told is not None and told[0] == each[0]:
                self._heap.append(each)
        heapify(self._heap)
        return True
