"""What the tally columns of the workers' rows hold at the present boundary."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trajectories.reducers.fields import stamp
from trajectories.reducers.lives import FOREVER, Life
from trajectories.reducers.sums import columns
from trajectories.reducers.tables import Row

if TYPE_CHECKING:
    from trajectories.reducers.tallies import Tallies


class WorkerRows:
    """Part of the tallies."""

    def __init__(self, tallies: Tallies) -> None:
        self.tallies = tallies
        self.shown: dict[int, tuple[int, int]] = {}  # worker -> the boundary and the ordered sign of life its row holds
        self.seen: dict[int, int] = {}  # worker -> the sign of life its row shows
        self.known: set[int] = set()  # workers whose row is right but for steps and signs of life since

    def step_on(self, worker: int, bound: int) -> bool:
        """`go_on` at a boundary of every worker where one life at most has made steps or signs of life, none beyond it: what happens to
        nearly all, every few seconds. False, and nothing is done, where it is not as simple as that."""
        tallies = self.tallies
        lives = tallies.dirty[worker]
        simple = worker in self.known and len(lives) < 2 and worker not in tallies.loops.watched
        if not simple or tallies.boundaries.get(worker, bound) > bound or self.shown[worker][0] > bound:
            return False
        steps, shown = 0, self.seen[worker]
        seen = shown
        if lives:
            steps = lives[0].step_on(bound)
            if steps < 0:
                return False
            if lives[0].now.seen > seen:
                seen = lives[0].now.seen
        said = tallies.seen.get(worker, 0)
        if said and tallies.seen_then.get(worker) != said:
            tallies.state.assign(tallies.seen_then, worker, said)
        if said > seen:
            seen = said
        self.shown[worker] = (bound, said)
        self.seen[worker] = seen
        tallies.state.count(worker, steps, stamp(seen) if seen > shown else "")
        del tallies.dirty[worker]
        return True

    def step_ahead(self, worker: int, life: Life, marks: array[int], bound: int) -> bool:
        """The same of marks told ahead, where nothing else of the worker is new."""
        tallies = self.tallies
        known = worker in self.known and worker not in tallies.dirty and worker not in tallies.loops.watched
        if not known or tallies.boundaries.get(worker, bound) > bound or self.shown[worker][0] > bound:
            return False
        steps = life.step_ahead(marks, bound)
        if steps < 0:
            return False
        self.shown[worker] = (bound, self.shown[worker][1])
        said = ""
        if life.now.seen > self.seen[worker]:
            self.seen[worker] = life.now.seen
            said = stamp(life.now.seen)
        tallies.state.count(worker, steps, said)
        return True

    def go_on(self, worker: int, lives: Iterable[Life]) -> bool:
        """`put` where nothing but steps and signs of life came in since: it asks the lives they came for, and no other."""
        tallies = self.tallies
        bound, said, shown = tallies.boundary_of(worker), tallies.seen_then.get(worker, 0), self.seen[worker]
        if bound < self.shown[worker][0]:
            return self.put(worker)
        whole, steps, seen = True, 0, max(shown, said)
        for life in lives:
            before = life.now.steps
            sums = life.upto(bound, life.end)
            if life.fresh:
                return self.put(worker)
            steps += sums.steps - before
            if sums.seen > seen:
                seen = sums.seen
            whole = whole and not life.waits()
        self.shown[worker] = (bound, said)
        self.seen[worker] = seen
        tallies.state.count(worker, steps, stamp(seen) if seen > shown else "")
        if worker in tallies.loops.watched:
            tallies.loops.show(worker, bound, tallies.end_of)
        return whole

    def put(self, worker: int) -> bool:
        """Show the sums of the present boundary, if the worker had a row when it passed. True if nothing lies beyond it."""
        tallies = self.tallies
        bound = tallies.boundary_of(worker)
        if bound <= tallies.born.get(worker, FOREVER):
            return False
        seen = tallies.seen_then.get(worker, 0)
        self.shown[worker] = (bound, seen)
        lives = tallies.speakers.of(worker)
        whole, known, steps = True, worker in self.known, 0
        joins = tallies.joins.get(worker)
        for number, life in lives:
            end = FOREVER if not number or not joins else tallies.end_of(worker, number)
            each = life.now
            if life.marks or life.told or end != life.end or bound < life.bound:
                each = life.upto(bound, end)
                whole = whole and not life.waits()
            known = known and not life.fresh
            steps += each.steps
            if each.seen > seen:
                seen = each.seen
        self.seen[worker] = seen
        row: Row = {"steps": steps} if known else self._columns(worker, lives)
        row["last_seen_at"] = stamp(seen) if seen else None
        tallies.state.tally("workers", worker, row)
        if not whole:
            tallies.dirty[worker] = [life for _, life in lives]
        if worker in tallies.loops.watched:
            tallies.loops.show(worker, bound, tallies.end_of)
        return whole

    def _columns(self, worker: int, lives: list[tuple[int, Life]]) -> Row:
        """All of them, once more than steps and signs of life has come in."""
        self.known.add(worker)
        for _, life in lives:
            life.fresh = False
        return columns([life.now for _, life in lives])
