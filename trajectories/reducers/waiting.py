"""Timers in the order in which they are due: by pieces of time, of which only the present one is kept sorted."""

from __future__ import annotations

from bisect import insort
from typing import Final

from trajectories.reducers.tables import Key

_PIECE_MS: Final = 60_000

#: (table, key) -> (due, reference of the event that set it)
Timers = dict[tuple[str, Key], tuple[int, str]]
Due = tuple[int, tuple[str, Key]]


class Waiting:
    """Follows from `timers`, which it reads and never writes. Most timers are cancelled or moved before they are due: these are dropped when
    their piece of time comes, without having been sorted among the others."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._soon: list[Due] = []  # due before `_near`, in order; those before `_place` are taken out
        self._place = 0
        self._later: dict[int, list[Due]] = {}  # the others, by the piece of time they are due in
        self._near = -1
        for where, (due, _) in timers.items():
            self.add(due, where)

    def add(self, due: int, where: tuple[str, Key]) -> None:
        """A timer was set."""
        if due < self._near:
            insort(self._soon, (due, where), self._place)
            return
        piece = due // _PIECE_MS
        told = self._later.get(piece)
        if told is None:
            self._later[piece] = [(due, where)]
        else:
            told.append((due, where))

    def quiet(self, at: int) -> bool:
        """True if nothing is due by then, as far as one look tells."""
        return at < self._near and (self._place == len(self._soon) or self._soon[self._place][0] > at)

    def next(self, at: int) -> Due | None:
        """Take out the next that may be due <= at; whether it still holds, `timers` tells."""
        while True:
            if self._place < len(self._soon) and self._soon[self._place][0] <= at:
                self._place += 1
                return self._soon[self._place - 1]
            if at < self._near or not self._come_nearer(at):
                return None

    def _come_nearer(self, at: int) -> bool:
        """Take up the next piece of time that has timers and begins by `at`; of the one before it none is left."""
        last = at // _PIECE_MS
        piece: int | None = self._near // _PIECE_MS  # nearly always the next one
        if piece not in self._later:
            piece = min((each for each in self._later if each <= last), default=None)
        if piece is None:
            self._near = max(self._near, (last + 1) * _PIECE_MS)
            return False
        self._near = (piece + 1) * _PIECE_MS
        timers = self._timers
        self._soon = [each for each in self._later.pop(piece) if (held := timers.get(each[1])) and held[0] == each[0]]
        self._soon.sort()
        self._place = 0
        return True
