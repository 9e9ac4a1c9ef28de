"""The tally events of one life of a worker: old ones summed, recent ones single, and the sums of the present boundary."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Final

from trajectories.reducers.sums import SEEN, STEP, Entry, Sums

FOREVER: Final = 1 << 62
_ALWAYS: Final = -FOREVER


class Life:
    """Entries at or after `end` (a newer life joined) count nowhere. `upto` is cheap while boundaries move forward.

    `named` is what its source calls the worker: a number, or a name where it knows no numbers. Entries since the horizon are in
    order of time, as two lists, because a run has millions of them: `ats` and, beside it, `entries`. The first `done` are in `now`.
    A `lean` life is never asked for an earlier boundary again: it keeps no entry that is summed, and `base` and `now` are one.
    """

    __slots__ = ("ats", "base", "bound", "done", "end", "entries", "lean", "named", "now", "number")

    def __init__(self, named: int | str, number: int, *, lean: bool = False) -> None:
        self.named, self.number, self.lean = named, number, lean
        self.base = Sums()  # up to the horizon
        self.ats: list[int] = []
        self.entries: list[Entry] = []
        self.now = Sums()  # up to `bound`
        self.bound = _ALWAYS
        self.done = 0
        self.end = FOREVER

    def add(self, at: int, entry: Entry) -> None:
        """Count an entry, wherever its time belongs."""
        if at <= self.bound and not self.lean:  # a lean life sums it when next asked
            self.done += 1
            if at < self.end:
                self.now.add(at, entry)
        ats = self.ats
        if not ats or at >= ats[-1]:
            ats.append(at)
            self.entries.append(entry)
        else:
            place = bisect_right(ats, at)
            ats.insert(place, at)
            self.entries.insert(place, entry)

    def upto(self, bound: int, end: int) -> Sums:
        """The sums of everything up to a boundary; not to be changed."""
        if end != self.end or bound < self.bound:
            self.end, self.now, self.done = end, self.base.copy(), 0
        self.bound = bound
        ats, done = self.ats, self.done
        if done < len(ats) and ats[done] <= bound:
            done = len(ats) if ats[-1] <= bound else bisect_right(ats, bound, done)
            self._sum(self.now, self.done, done)
            if self.lean:
                self.base, self.done = self.now, 0
                del ats[:done], self.entries[:done]
            else:
                self.done = done
        return self.now

    def keep(self) -> None:
        """From now on earlier boundaries will be asked for again."""
        if self.lean:
            self.lean, self.now = False, self.base.copy()

    def at(self, at: int, end: int) -> Sums:
        """The sums up to any moment since the horizon."""
        sums = self.base.copy()
        for when, entry in zip(self.ats, self.entries, strict=True):
            if when <= at and when < end:
                sums.add(when, entry)
        return sums

    def settle(self, horizon: int, end: int) -> None:
        """Sum what is as old as the horizon: no boundary before it will be asked for again."""
        place = bisect_right(self.ats, horizon)
        if place:
            last, self.end = self.end, end
            self._sum(self.base, 0, place)
            self.end = last
            del self.ats[:place], self.entries[:place]
            self.done = max(0, self.done - place)

    def _sum(self, sums: Sums, first: int, last: int) -> None:
        ats, entries, end = self.ats, self.entries, self.end
        if ats[last - 1] >= end:
            last = bisect_right(ats, end - 1, first, last)
            if last == first:
                return
        if ats[last - 1] > sums.seen:
            sums.seen = ats[last - 1]
        for place in range(first, last):
            entry = entries[place]
            if entry is STEP:
                sums.steps += 1
            elif entry is not SEEN:
                sums.add(ats[place], entry)

    def dump(self) -> list[Any]:
        """As JSON."""
        return [self.base.dump(), list(zip(self.ats, self.entries, strict=True))]

    def load(self, base: list[Any], recent: list[Any]) -> None:
        """From JSON."""
        self.base = Sums.load(base)
        self.now = self.base.copy()
        for at, (what, value) in recent:
            self.add(at, STEP if what == "step" else SEEN if what == "seen" else (what, value))
