"""Whole steps told a pack at a time, before the last of them is due: what settling has, and a live fold never."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trajectories.reducers.lives import Life

if TYPE_CHECKING:
    from trajectories.reducers.tallies import Tallies


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
    def failed(self) -> Iterable[tuple[int, str, dict[str, Any]]]: ...


class Ahead:
    """Part of the tallies. Marks wait here until a boundary comes to them, so that a life sees them as if they had been told one by one."""

    def __init__(self, tallies: Tallies) -> None:
        self.tallies = tallies
        self.waiting: dict[
            int, dict[int, tuple[Life, array[int], int]]
        ] = {}  # worker -> life -> it, its marks, how many are told

    def take(self, steps: Steps) -> None:
        """Take them; none of them began at or before a boundary that has passed."""
        life = self.tallies.speakers.begun(steps.worker, steps.life)
        self.tallies.loops.take(steps, life)
        marks = [at << 1 | 1 for at in steps.began]
        marks += [at << 1 for at in steps.ended]
        lives = self.waiting.setdefault(steps.worker, {})
        if steps.life in lives:
            _, held, place = lives[steps.life]
            marks += held[place:]
        marks.sort()
        lives[steps.life] = (life, array("q", marks), 0)

    def release(self, at: int, worker: int | None = None) -> None:
        """A boundary comes at `at`, of this worker or of every worker: tell what is due."""
        limit = at << 1 | 1
        for named in list(self.waiting) if worker is None else (worker,) if worker in self.waiting else ():
            lives = self.waiting[named]
            for number, (life, marks, place) in list(lives.items()):
                if marks[place] > limit:
                    continue
                end = bisect_right(marks, limit, place)
                self._tell(named, life, marks[place:end])
                if end < len(marks):
                    lives[number] = (life, marks, end)
                else:
                    del lives[number]
            if not lives:
                del self.waiting[named]

    def _tell(self, worker: int, life: Life, marks: array[int]) -> None:
        life.take(marks)
        dirty = self.tallies.dirty
        lives = dirty.get(worker)
        if lives is None:
            dirty[worker] = [life]
        elif life not in lives:
            lives.append(life)
