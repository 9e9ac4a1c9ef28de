"""Whole steps told a pack at a time, before the last of them is due: what settling has, and a live fold never."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trajectories.reducers.lives import FOREVER, Life

if TYPE_CHECKING:
    from trajectories.reducers.tallies import Tallies

#: (time, reference of the end, fields of the start) of a step that failed
Fault = tuple[int, str, dict[str, Any]]
_KEPT = 1_000  # marks that are told and not yet let go


class Steps(Protocol):
    """Whole steps of one life of a worker: columns in order of the ends. `failed` = (index, reference of the end, fields of the start)."""

    @property
    def worker(self) -> int: ...
    @property
    def life(self) -> int: ...
    @property
    def steps(self) -> Sequence[str]: ...
    @property
    def began(self) -> list[int]: ...
    @property
    def ended(self) -> list[int]: ...
    @property
    def failed(self) -> Sequence[tuple[int, str, dict[str, Any]]]: ...


class Waiting:
    """What a life is still to be told: marks as it keeps them, ends of steps that went well, those that failed; each in order of time.

    The first `told` of the marks and the first `ended` of the ends are told. Packs whose times overlap are put in order when next looked at,
    so that very many of one moment are sorted once.
    """

    __slots__ = ("ended", "faults", "life", "marks", "ordered", "told", "wells")

    def __init__(self, life: Life) -> None:
        self.life = life
        self.marks = array("q")
        self.wells = array("q")
        self.faults: list[Fault] = []
        self.told = self.ended = 0
        self.ordered = True

    def take(self, steps: Steps) -> None:
        """Hold more."""
        if self.told > _KEPT:
            del self.marks[: self.told], self.wells[: self.ended]
            self.told = self.ended = 0
        wells = list(steps.ended)
        for place, _, _ in reversed(steps.failed):
            del wells[place]
        marks = [at << 1 | 1 for at in steps.began]
        marks += [at << 1 for at in steps.ended]
        marks.sort()
        self.ordered = self.ordered and (not self.marks or self.marks[-1] <= marks[0])
        self.marks.extend(marks)
        self.wells.extend(wells)
        self.faults += [(steps.ended[place], ref, fields) for place, ref, fields in steps.failed]

    def order(self) -> None:
        """What is still to be told, in order of time."""
        self.marks, self.told = array("q", sorted(self.marks[self.told :])), 0
        self.wells, self.ended = array("q", sorted(self.wells[self.ended :])), 0
        self.faults.sort(key=_at)
        self.ordered = True


class Ahead:
    """Part of the tallies. What is told ahead waits here until a boundary comes to it, as if it had been told one by one."""

    def __init__(self, tallies: Tallies) -> None:
        self.tallies = tallies
        self.waiting: dict[int, dict[int, Waiting]] = {}  # worker -> life -> what it is to be told

    def catch_up(self) -> None:
        """Nothing comes any more: tell everything."""
        for worker, lives in self.waiting.items():
            for held in lives.values():
                held.order()
                self._ends(worker, held, FOREVER)
        self.release(FOREVER)

    def take(self, steps: Steps) -> None:
        """Take them; none of them began at or before a boundary that has passed."""
        lives = self.waiting.setdefault(steps.worker, {})
        held = lives.get(steps.life)
        if held is None:
            held = lives[steps.life] = Waiting(self.tallies.speakers.begun(steps.worker, steps.life))
        held.take(steps)

    def release(self, at: int, worker: int | None = None, *, bound: bool = False) -> None:
        """Tell what is due by `at`, of this worker or of every worker. `bound` = a boundary of every worker comes there: rows may move on."""
        limit = at << 1 | 1
        rows, watched = self.tallies.rows, self.tallies.loops.watched
        for named in sorted(self.waiting) if worker is None else (worker,) if worker in self.waiting else ():
            lives = self.waiting[named]
            for held in lives.values():
                if not held.ordered:
                    held.order()
                marks, told = held.marks, held.told
                if told == len(marks) or marks[told] > limit:
                    continue
                held.told = place = bisect_right(marks, limit, told)
                # When its calls went well is asked of one that fails, and of nobody else.
                if (held.faults and held.faults[0][0] <= at) or named in watched:
                    self._ends(named, held, at)
                part = marks[told:place]
                if not bound or len(lives) > 1 or not rows.step_ahead(named, held.life, part, at):
                    self._tell(named, held.life, part)

    def _tell(self, worker: int, life: Life, marks: array[int]) -> None:
        life.take(marks)
        known = self.tallies.dirty.get(worker)
        if known is None:
            self.tallies.dirty[worker] = [life]
        elif life not in known:
            known.append(life)

    def _ends(self, worker: int, held: Waiting, at: int) -> None:
        loops, wells, done = self.tallies.loops, held.wells, held.ended
        due = bisect_right(held.faults, at, key=_at)
        for fault in held.faults[:due]:
            if (place := bisect_right(wells, fault[0], done)) > done:
                held.life.went_well(wells[done:place])
                done = place
            loops.failed(worker, held.life, *fault)
        del held.faults[:due]
        if done < len(wells) and wells[done] <= at:
            place = bisect_right(wells, at, done)
            held.life.went_well(wells[done:place])
            done = place
        held.ended = done


def _at(fault: Fault) -> int:
    return fault[0]
