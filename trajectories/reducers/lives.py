"""The tally events of one life of a worker: old ones summed, recent ones single, and the sums of the present boundary."""

from __future__ import annotations

from array import array
from bisect import bisect_right, insort
from typing import Any, Final

from trajectories.reducers.sums import SEEN, STEP, Entry, Sums

FOREVER: Final = 1 << 62
_ALWAYS: Final = -(1 << 61)


class Life:
    """Entries at or after `end` (a newer life joined) count nowhere. `upto` is cheap while boundaries move forward.

    `named` is what its source calls the worker: a number, or a name where it knows no numbers. Entries since the horizon are in order
    of time. Nearly all of a run's millions are steps and mere signs of life: each is one number in `marks` (twice its time, and one more
    for a step), so that a worker's lie side by side; the others are in `told`. The first `done` and `heard` of them are in `now`.
    A `lean` life is never asked for an earlier boundary again: it keeps no entry that is summed, and `base` and `now` are one.
    `step`, `title` and `wells` are for `loops`: the step that is open, its title, and when calls went well.
    `fresh` tells who shows the sums that more than steps and signs of life has come in.
    """

    __slots__ = (
        *("base", "bound", "done", "end", "fresh", "heard", "lean", "marks", "named", "now", "number", "told"),
        *("step", "title", "wells"),
    )

    def __init__(self, named: int | str, number: int, *, lean: bool = False) -> None:
        self.named, self.number, self.lean = named, number, lean
        self.base = Sums()  # up to the horizon
        self.marks = array("q")
        self.told: list[tuple[int, Entry]] = []
        self.now = Sums()  # up to `bound`
        self.bound = _ALWAYS
        self.done = self.heard = 0
        self.end = FOREVER
        self.fresh = True
        self.step: str | None = None
        self.title = ""
        self.wells = array("q")

    def add(self, at: int, entry: Entry) -> None:
        """Count an entry, wherever its time belongs."""
        if entry is STEP or entry is SEEN:
            self.mark(at, entry is STEP)
            return
        if at <= self.bound and not self.lean:  # a lean life sums it when next asked
            self.heard += 1
            if at < self.end:
                self.now.add(at, entry)
                self.fresh = True
        told = self.told
        if not told or at >= told[-1][0]:
            told.append((at, entry))
        else:
            told.insert(bisect_right(told, at, key=_at), (at, entry))

    def mark(self, at: int, step: bool) -> None:
        """Count a step, or a sign of life."""
        marks, each = self.marks, (at << 1) + step
        if at <= self.bound and not self.lean:
            self.done += 1
            if at < self.end:
                _count(self.now, at, step)
        if not marks or each >= marks[-1]:
            marks.append(each)
        else:
            insort(marks, each)

    def take(self, marks: array[int]) -> None:
        """The same for many in order, all of them beyond the present boundary."""
        own = self.marks
        if own and marks[0] < own[-1]:
            self.marks = array("q", sorted([*own, *marks]))
        else:
            own.extend(marks)

    def went_well(self, times: array[int]) -> None:
        """Calls went well at these times, which rise. No loop can come of that, so nobody has to look."""
        wells = self.wells
        if wells and times[0] < wells[-1]:
            self.wells = array("q", sorted([*wells, *times]))
        else:
            wells.extend(times)

    def waits(self) -> bool:
        """Something lies beyond the boundary last asked for."""
        return self.done < len(self.marks) or self.heard < len(self.told)

    def upto(self, bound: int, end: int) -> Sums:
        """The sums of everything up to a boundary; not to be changed."""
        if end != self.end or bound < self.bound:
            self.end, self.now, self.done, self.heard, self.fresh = end, self.base.copy(), 0, 0, True
        self.bound = bound
        marks, done = self.marks, self.done
        if done < len(marks) and marks[done] >> 1 <= bound:
            place = len(marks) if marks[-1] >> 1 <= bound else bisect_right(marks, (bound << 1) + 1, done)
            self._sum(self.now, done, place)
            if self.lean:
                self.base = self.now
                del marks[:place]
            else:
                self.done = place
        if self.heard < len(self.told):
            self._hear(bound)
        return self.now

    def step_on(self, bound: int) -> int:
        """`upto`, where all that came in is marks up to the boundary: the steps among them. -1, and nothing is done, elsewhere."""
        marks, done = self.marks, self.done
        if self.fresh or bound < self.bound or self.heard < len(self.told):
            return -1
        steps = 0
        if done < len(marks):
            last = marks[-1] >> 1
            if last > bound or last >= self.end:
                return -1
            for mark in marks[done:] if done else marks:
                steps += mark & 1
            now = self.now
            now.steps += steps
            if last > now.seen:
                now.seen = last
            if self.lean:
                self.base = now
                del marks[:]
            else:
                self.done = len(marks)
        self.bound = bound
        return steps

    def step_ahead(self, marks: array[int], bound: int) -> int:
        """The same of marks that it has not been told, none of them beyond the boundary; it will not be told them if this says how many."""
        if self.fresh or bound < self.bound or self.marks or self.heard < len(self.told) or not self.lean:
            return -1
        last = marks[-1] >> 1
        if last >= self.end:
            return -1
        steps = 0
        for mark in marks:
            steps += mark & 1
        now = self.now
        now.steps += steps
        if last > now.seen:
            now.seen = last
        self.bound = bound
        return steps

    def _hear(self, bound: int) -> None:
        told, end = self.told, self.end
        place = self.heard
        while place < len(told) and told[place][0] <= bound:
            if told[place][0] < end:
                self.now.add(*told[place])
            place += 1
            self.fresh = True
        if self.lean:
            self.base = self.now
            del told[:place]
        else:
            self.heard = place

    def keep(self) -> None:
        """From now on earlier boundaries will be asked for again."""
        if self.lean:
            self.lean, self.now = False, self.base.copy()

    def at(self, at: int, end: int) -> Sums:
        """The sums up to any moment since the horizon."""
        sums = self.base.copy()
        for each in self.marks:
            if each >> 1 <= at and each >> 1 < end:
                _count(sums, each >> 1, each & 1)
        for when, entry in self.told:
            if when <= at and when < end:
                sums.add(when, entry)
        return sums

    def settle(self, horizon: int, end: int) -> None:
        """Sum what is as old as the horizon: no boundary before it will be asked for again."""
        place = bisect_right(self.marks, (horizon << 1) + 1)
        last, self.end = self.end, end
        self._sum(self.base, 0, place)
        self.end = last
        del self.marks[:place]
        self.done = max(0, self.done - place)
        place = bisect_right(self.told, horizon, key=_at)
        for when, entry in self.told[:place]:
            if when < end:
                self.base.add(when, entry)
        del self.told[:place]
        self.heard = max(0, self.heard - place)

    def _sum(self, sums: Sums, first: int, last: int) -> None:
        marks, end = self.marks, self.end
        if last > first and marks[last - 1] >> 1 >= end:
            last = bisect_right(marks, (end << 1) - 1, first, last)
        if last <= first:
            return
        if marks[last - 1] >> 1 > sums.seen:
            sums.seen = marks[last - 1] >> 1
        for place in range(first, last):
            sums.steps += marks[place] & 1

    def dump(self) -> list[Any]:
        """As JSON."""
        plain = [(each >> 1, STEP if each & 1 else SEEN) for each in self.marks]
        return [self.base.dump(), [*plain, *self.told]]

    def load(self, base: list[Any], recent: list[Any]) -> None:
        """From JSON."""
        self.base = Sums.load(base)
        self.now = self.base if self.lean else self.base.copy()
        for at, (what, value) in recent:
            self.add(at, STEP if what == "step" else SEEN if what == "seen" else (what, value))


def _count(sums: Sums, at: int, step: int) -> None:
    sums.steps += step
    if at > sums.seen:
        sums.seen = at


def _at(told: tuple[int, Entry]) -> int:
    return told[0]
