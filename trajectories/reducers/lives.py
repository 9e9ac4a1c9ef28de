"""The tally events of one life of a worker: old ones summed, recent ones single, and the sums of the present boundary."""

from __future__ import annotations

from typing import Any, Final

from trajectories.reducers.sums import Entry, Sums

FOREVER: Final = 1 << 62
_ALWAYS: Final = -FOREVER


class Life:
    """Entries at or after `end` (a newer life joined) count nowhere. `upto` is cheap while boundaries move forward."""

    __slots__ = ("ahead", "base", "bound", "end", "now", "recent")

    def __init__(self) -> None:
        self.base = Sums()  # up to the horizon
        self.recent: list[tuple[int, Entry]] = []  # since
        self.now = Sums()  # up to `bound`
        self.bound = _ALWAYS
        self.ahead: list[tuple[int, Entry]] = []  # after `bound`
        self.end = FOREVER

    def add(self, at: int, entry: Entry) -> None:
        """Count an entry, wherever its time belongs."""
        self.recent.append((at, entry))
        if at < self.end:
            if at <= self.bound:
                self.now.add(at, entry)
            else:
                self.ahead.append((at, entry))

    def upto(self, bound: int, end: int) -> Sums:
        """The sums of everything up to a boundary; not to be changed."""
        if end != self.end or bound < self.bound:
            self.end, self.bound = end, bound
            self.now, self.ahead = self.base.copy(), []
            for at, entry in self.recent:
                if at < end:
                    if at <= bound:
                        self.now.add(at, entry)
                    else:
                        self.ahead.append((at, entry))
        elif bound > self.bound:
            self.bound = bound
            if self.ahead:
                ahead, self.ahead = self.ahead, []
                for at, entry in ahead:
                    if at <= bound:
                        self.now.add(at, entry)
                    else:
                        self.ahead.append((at, entry))
        return self.now

    def at(self, at: int, end: int) -> Sums:
        """The sums up to any moment since the horizon."""
        sums = self.base.copy()
        for when, entry in self.recent:
            if when <= at and when < end:
                sums.add(when, entry)
        return sums

    def settle(self, horizon: int, end: int) -> None:
        """Sum what is as old as the horizon: no boundary before it will be asked for again."""
        young = []
        for pair in self.recent:
            if pair[0] > horizon:
                young.append(pair)
            elif pair[0] < end:
                self.base.add(*pair)
        self.recent = young

    def dump(self) -> list[Any]:
        """As JSON."""
        return [self.base.dump(), self.recent]

    def load(self, base: list[Any], recent: list[Any]) -> None:
        """From JSON."""
        self.base = Sums.load(base)
        self.now = self.base.copy()
        self.recent = [(at, (entry[0], entry[1])) for at, entry in recent]
        self.ahead = self.recent[:]
