"""Tallies: per-worker sums that never rewind, and the boundaries at which they enter the State.

A boundary is run.ticked or run.ended (every worker) or turn.finished (that worker). After a boundary at B the row of a
worker holds the sums of all its tally events with `at` <= B, whenever they arrived: an event that is late for B corrects
the row at once. Entries stay single as far back as the ordered fold may be undone, so that a rewind finds the sums of
every earlier boundary; older ones are summed.
"""

from __future__ import annotations

from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.ahead import Ahead
from trajectories.reducers.attention_kinds import LOOPING
from trajectories.reducers.lives import FOREVER, Life
from trajectories.reducers.loops import Loops
from trajectories.reducers.shown import Shown
from trajectories.reducers.speakers import Speakers
from trajectories.reducers.spent import Spent
from trajectories.reducers.state import State
from trajectories.reducers.sums import SEEN, STEP, entry_of
from trajectories.reducers.worker_rows import WorkerRows

_SETTLE_MS: Final = 30_000  # how often what passed the horizon is summed
_COUNTED: Final = frozenset(["request.metered", "usage.reported"])
_SHOWING: Final = frozenset(["notes.read", "inbox.moved"])
_STEPS: Final = frozenset(["step.started", "step.finished"])
_EVERY: Final = 0  # the key of the boundary that holds for every worker; worker numbers start at 1


class Tallies:
    """All sums of a run. `joins`, `boundaries` and `seen` belong to the ordered fold and are journaled."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.joins = state.index("tallies.joins")
        self.boundaries = state.index("tallies.boundaries")
        self.seen = state.index("tallies.seen")
        self.seen_then = state.index("tallies.seen_at_boundary")
        self.scored = state.index("checkpoints.at")
        self.born = state.index("tallies.born")
        self._ends: dict[
            int, tuple[Any, dict[int, int]]
        ] = {}  # worker -> its joins, and what follows from them: life -> end
        self.speakers = Speakers(state)
        #: workers whose row may differ at the next boundary -> the lives that something came for
        self.dirty: dict[int, list[Life]] = {}
        self.rows = WorkerRows(self)
        self._latest = -1  # no boundary has passed after it: what is younger is late for none
        self.spent = Spent(state)
        self.shown = Shown(state)
        self.loops = Loops(state, self.speakers)
        self.ahead = Ahead(self)
        self.floor: int | None = None  # the ordered fold may be undone to here; a fold without marks is never undone
        self._horizon = -(1 << 62)  # entries up to here are summed

    # the ordered fold tells

    def enrolled(self, worker: int) -> None:
        """A worker has a row from now on: boundaries already passed are none of its own."""
        self.state.assign(self.born, worker, self.boundaries.get(_EVERY, -1))
        self.dirty.setdefault(worker, [])
        self.rows.known.discard(worker)

    def joined(self, worker: int, life: int, at: int) -> None:
        """From `at` on, older lives of this worker count no more."""
        self.state.assign(self.joins, worker, (*self.joins.get(worker, ()), (life, at)))
        self.rows.known.discard(worker)

    def marked(self, floor: int) -> None:
        """From now on the ordered fold may be undone, never to before `floor`."""
        if self.floor is None:
            self.speakers.keep()
        self.floor = floor

    def saw(self, worker: int, at: int) -> None:
        """An ordered event of a worker is a sign of life too."""
        if at > self.seen.get(worker, -1):
            self.state.assign(self.seen, worker, at)
            self.dirty.setdefault(worker, [])

    def boundary(self, at: int, worker: int | None = None) -> None:
        """Let everything up to `at` into the row of this worker, or of every worker."""
        if self.ahead.waiting:
            self.ahead.release(at, worker, bound=worker is None)
        self.state.assign(self.boundaries, worker or _EVERY, max(at, self.boundaries.get(worker or _EVERY, at)))
        self._latest = max(self._latest, at)
        if worker is not None:
            self._flush(worker)
            return
        self.show_loops()
        bound = self.boundaries[_EVERY]
        for number in sorted(self.dirty):
            if not self.rows.step_on(number, bound):
                self._flush(number)
        self._settle_old(at)

    # tally events come in

    def add(self, event: Event) -> None:
        """Count one tally event; correct what is already past its boundary."""
        kind = event.kind
        step = kind in _STEPS
        entry = STEP if kind == "step.started" else SEEN if step else entry_of(event)
        if entry is None:
            return
        life = self.speakers.life(event)
        if life is None:
            return
        named, at = life.named, event.at
        worker = self.speakers.worker(named)
        if step:
            life.mark(at, entry is STEP)
            if type(named) is int:
                self.loops.add(event, named, life)
        else:
            life.add(at, entry)
            if kind in _SHOWING:
                self.state.now, self.state.ref = at, event.ref
                self.shown.tell(event, named, worker)
        if worker is None:
            return  # its enrolment makes the row dirty
        lives = self.dirty.get(worker)
        if lives is None:
            self.dirty[worker] = [life]
        elif life not in lives:
            lives.append(life)
        if at <= self._latest and at <= self.boundary_of(worker):
            self.state.now, self.state.ref = at, event.ref
            self.rows.put(worker)
        if kind in _COUNTED and at < self.end_of(worker, life.number):
            self.state.now, self.state.ref = at, event.ref
            self.spent.late(at, entry, named, life.number)

    def recent(self) -> set[tuple[str, Any]]:
        """The rows an undo may move: workers with single entries left, checkpoints as young as those."""
        young = (self.speakers.worker(life.named) for life in self.speakers if life.marks or life.told)
        workers = {("workers", worker) for worker in young if worker is not None}
        loops = {("attention", f"{LOOPING}:{worker}") for worker in self.loops.watched}
        return workers | loops | {("checkpoints", key) for key, at in self.scored.items() if at >= self._horizon}

    def rewound(self) -> None:
        """After an undo, the rows hold what belongs to the boundaries that are left."""
        for worker in self.born:
            self.dirty.setdefault(worker, [])
        self.rows.known.clear()
        for table, key in self.recent():
            if table == "checkpoints":
                self.score(key, self.scored[key])
            elif table == "workers" and (
                self.rows.shown.get(key) != (self.boundary_of(key), self.seen_then.get(key, 0)) or self._end_moved(key)
            ):
                self.rows.put(key)
        self.show_loops()

    def show_loops(self) -> None:
        """Who loops, once more: a boundary passed, or a worker went, or the run comes to its end."""
        for worker in sorted(self.loops.watched):
            self.loops.show(worker, self.boundary_of(worker), self.end_of)

    def score(self, key: Any, at: int) -> None:
        """Put what the whole team had spent by `at` into this checkpoint's row."""
        self.ahead.release(at)
        sums = {
            named: {number: life.at(at, self.end_of(worker, number)) for number, life in lives.items()}
            for named, lives in self.speakers.lives.items()
            if (worker := self.speakers.worker(named)) is not None
        }
        self.spent.keep(key, sums)

    # inside

    def _end_moved(self, worker: int) -> bool:
        return any(life.end != self.end_of(worker, number) for number, life in self.speakers.of(worker))

    def boundary_of(self, worker: int) -> int:
        every, own = self.boundaries.get(_EVERY, -1), self.boundaries.get(worker, -1)
        return every if every > own else own  # type: ignore[no-any-return]

    def _flush(self, worker: int) -> None:
        seen = self.seen.get(worker)
        if seen is not None and self.seen_then.get(worker) != seen:
            self.state.assign(self.seen_then, worker, seen)
        if self.rows.go_on(worker, self.dirty.get(worker, ())) if worker in self.rows.known else self.rows.put(worker):
            self.dirty.pop(worker, None)

    def end_of(self, worker: int, life: int) -> int:
        joins = self.joins.get(worker)
        if life == 0 or not joins or (len(joins) == 1 and joins[0][0] <= life):
            return FOREVER
        known = self._ends.get(worker)
        if known is None or known[0] is not joins:
            known = self._ends[worker] = (joins, {})
        end = known[1].get(life)
        if end is None:
            end = known[1][life] = min((at for newer, at in joins if newer > life), default=FOREVER)
        return end

    def _settle_old(self, horizon: int) -> None:
        if self.floor is not None:
            horizon = min(horizon, self.floor)
        if horizon - self._horizon < _SETTLE_MS:
            return
        self._horizon = horizon
        self.loops.settle(horizon, self.end_of)
        for life in self.speakers:
            if life.marks or life.told:
                life.settle(horizon, self.end_of(self.speakers.worker(life.named) or 0, life.number))

    # keyframes

    def dump(self) -> list[Any]:
        """As JSON."""
        parts = [self.spent.dump(), self.shown.dump(), self.loops.dump()]
        return [self._horizon, parts, *self.speakers.dump()]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        self._horizon, (spent, shown, loops), *lives = data
        self.spent.load(spent)
        self.shown.load(shown)
        self.speakers.load(lives)
        self.loops.load(loops)
        self.dirty = {worker: [] for worker in self.born}
        self._latest = max(self.boundaries.values(), default=-1)
