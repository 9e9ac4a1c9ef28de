"""Tallies: per-worker sums that never rewind, and the boundaries at which they enter the State.

A boundary is run.ticked or run.ended (every worker) or turn.finished (that worker). After a boundary at B the row of a
worker holds the sums of all its tally events with `at` <= B, whenever they arrived: an event that is late for B corrects
the row at once. Entries stay single as far back as the ordered fold may be undone, so that a rewind finds the sums of
every earlier boundary; older ones are summed.
"""

from __future__ import annotations

from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.attention_kinds import LOOPING
from trajectories.reducers.fields import stamp, whole
from trajectories.reducers.lives import FOREVER, Life
from trajectories.reducers.loops import Loops
from trajectories.reducers.people import spoken_name
from trajectories.reducers.shown import Shown
from trajectories.reducers.spent import Spent
from trajectories.reducers.state import State
from trajectories.reducers.sums import columns, entry_of

_SETTLE_MS: Final = 30_000  # how often what passed the horizon is summed
_COUNTED: Final = frozenset(["request.metered", "usage.reported"])
_SHOWING: Final = frozenset(["notes.read", "inbox.moved"])
_STEPS: Final = frozenset(["step.started", "step.finished"])
_EVERY: Final = 0  # the key of the boundary that holds for every worker; worker numbers start at 1


def life_of(event: Event) -> int:
    """The life that speaks: ACP ids are `{worker}-{life}-{n}`; other sources are bound to no life (0)."""
    if event.source != "acp":
        return 0
    parts = event.id.split("-", 2)
    if len(parts) == 3 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 10:
        return int(parts[1])
    return max(0, whole(event.fields.get("life")) or 0)


class Tallies:
    """All sums of a run. `joins`, `boundaries` and `seen` belong to the ordered fold and are journaled."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.joins = state.index("tallies.joins")
        self.boundaries = state.index("tallies.boundaries")
        self.seen = state.index("tallies.seen")
        self.seen_then = state.index("tallies.seen_at_boundary")
        self.spoken = state.index("people.spoken")
        self.called = state.index("people.called")
        self.scored = state.index("checkpoints.at")
        self.born = state.index("tallies.born")
        #: by worker number, or by name where the source knows no numbers (the board): the roster may come later
        self._lives: dict[int | str, dict[int, Life]] = {}
        self._streams: dict[str, Life] = {}  # `{worker}-{life}` of ACP ids -> the life that speaks there
        self._cast: dict[int, tuple[str, list[tuple[int, Life]]]] = {}  # worker -> its name then, its lives
        self._dirty: set[int] = set()  # workers whose row may differ at the next boundary
        self._shown: dict[int, tuple[int, int]] = {}  # worker -> the boundary and sign of life its row holds
        self.spent = Spent(state)
        self.shown = Shown(state)
        self.loops = Loops(state)
        #: the ordered fold may be undone to here; a fold without marks is never undone
        self.floor: int | None = None
        self._horizon = -(1 << 62)  # entries up to here are summed

    # the ordered fold tells

    def enrolled(self, worker: int) -> None:
        """A worker has a row from now on: boundaries already passed are none of its own."""
        self.state.assign(self.born, worker, self.boundaries.get(_EVERY, -1))
        self._dirty.add(worker)

    def joined(self, worker: int, life: int, at: int) -> None:
        """From `at` on, older lives of this worker count no more."""
        self.state.assign(self.joins, worker, (*self.joins.get(worker, ()), (life, at)))

    def saw(self, worker: int, at: int) -> None:
        """An ordered event of a worker is a sign of life too."""
        if at > self.seen.get(worker, -1):
            self.state.assign(self.seen, worker, at)
            self._dirty.add(worker)

    def boundary(self, at: int, worker: int | None = None) -> None:
        """Let everything up to `at` into the row of this worker, or of every worker."""
        self.state.assign(self.boundaries, worker or _EVERY, max(at, self.boundaries.get(worker or _EVERY, at)))
        if worker is not None:
            self._flush(worker)
            return
        for number in sorted(self._dirty):
            self._flush(number)
        self.show_loops()
        self._settle_old(at)

    # tally events come in

    def add(self, event: Event) -> None:
        """Count one tally event; correct what is already past its boundary."""
        entry = entry_of(event)
        if entry is None:
            return
        life = self._streams.get(event.id.rpartition("-")[0]) if event.source == "acp" else None
        if life is None or life.named != event.worker:
            life = self._life(event)
            if life is None:
                return
        named, at, kind = life.named, event.at, event.kind
        life.add(at, entry)
        worker = named if type(named) is int else self.spoken.get(named)
        if kind in _STEPS:
            if type(named) is int:
                self.loops.add(event, named, life.number)
        elif kind in _SHOWING:
            self.state.now, self.state.ref = at, event.ref
            self.shown.tell(event, named, worker)
        if worker is None:
            return  # its enrolment makes the row dirty
        self._dirty.add(worker)
        if at <= self._boundary_of(worker):
            self.state.now, self.state.ref = at, event.ref
            self._put(worker)
        if kind in _COUNTED and at < self._end_of(worker, life.number):
            self.state.now, self.state.ref = at, event.ref
            self.spent.late(at, entry, named, life.number)

    def recent(self) -> set[tuple[str, Any]]:
        """The rows an undo may move: workers with single entries left, checkpoints as young as those."""
        young = (self._worker(w) for w, lives in self._lives.items() if any(life.ats for life in lives.values()))
        workers = {("workers", worker) for worker in young if worker is not None}
        loops = {("attention", f"{LOOPING}:{worker}") for worker in self.loops.watched}
        return workers | loops | {("checkpoints", key) for key, at in self.scored.items() if at >= self._horizon}

    def rewound(self) -> None:
        """After an undo, the rows hold what belongs to the boundaries that are left."""
        self._dirty.update(self.born)
        for table, key in self.recent():
            if table == "checkpoints":
                self.score(key, self.scored[key])
            elif table == "workers" and (
                self._shown.get(key) != (self._boundary_of(key), self.seen_then.get(key, 0)) or self._end_moved(key)
            ):
                self._put(key)
        self.show_loops()

    def show_loops(self) -> None:
        """Who loops, once more: a boundary passed, or a worker went, or the run comes to its end."""
        for worker in sorted(self.loops.watched):
            self.loops.show(worker, self._boundary_of(worker), self._end_of)

    def score(self, key: Any, at: int) -> None:
        """Put what the whole team had spent by `at` into this checkpoint's row."""
        sums = {
            named: {number: life.at(at, self._end_of(worker, number)) for number, life in lives.items()}
            for named, lives in self._lives.items()
            if (worker := self._worker(named)) is not None
        }
        self.spent.keep(key, sums)

    # inside

    def _worker(self, named: int | str) -> int | None:
        return named if isinstance(named, int) else self.spoken.get(named)

    def _life(self, event: Event) -> Life | None:
        """The life that this event belongs to, made if it is new; None if nobody is named."""
        named = event.worker if type(event.worker) is int else spoken_name(event.actor)
        if named is None:
            return None
        number = life_of(event)
        life = self._lives.get(named, {}).get(number) or self._begin(named, number)
        if event.source == "acp" and event.id.count("-") == 2 and event.id.split("-")[1] == str(number):
            self._streams[event.id.rpartition("-")[0]] = life
        return life

    def _begin(self, named: int | str, number: int) -> Life:
        self._cast.clear()
        life = self._lives.setdefault(named, {})[number] = Life(named, number)
        return life

    def _of(self, worker: int) -> list[tuple[int, Life]]:
        """Its lives, those that only its name is known of included."""
        name = self.called.get(worker, "")
        cast = self._cast.get(worker)
        if cast is None or cast[0] != name:
            lives = [*self._lives.get(worker, {}).items(), *self._lives.get(name, {}).items()]
            cast = self._cast[worker] = (name, lives)
        return cast[1]

    def _end_moved(self, worker: int) -> bool:
        return any(life.end != self._end_of(worker, number) for number, life in self._of(worker))

    def _boundary_of(self, worker: int) -> int:
        every, own = self.boundaries.get(_EVERY, -1), self.boundaries.get(worker, -1)
        return every if every > own else own  # type: ignore[no-any-return]

    def _flush(self, worker: int) -> None:
        seen = self.seen.get(worker)
        if seen is not None and self.seen_then.get(worker) != seen:
            self.state.assign(self.seen_then, worker, seen)
        if self._put(worker):
            for _, life in self._of(worker):
                if life.done < len(life.ats):
                    return
            self._dirty.discard(worker)

    def _put(self, worker: int) -> bool:
        """Show the sums of the present boundary, if the worker had a row when it passed."""
        bound = self._boundary_of(worker)
        if bound <= self.born.get(worker, FOREVER):
            return False
        seen = self.seen_then.get(worker, 0)
        self._shown[worker] = (bound, seen)
        sums = []
        for number, life in self._of(worker):
            each = life.upto(bound, self._end_of(worker, number))
            sums.append(each)
            if each.seen > seen:
                seen = each.seen
        row = columns(sums)
        row["last_seen_at"] = stamp(seen) if seen else None
        self.state.tally("workers", worker, row)
        if worker in self.loops.watched:
            self.loops.show(worker, bound, self._end_of)
        return True

    def _end_of(self, worker: int, life: int) -> int:
        joins = self.joins.get(worker)
        if life == 0 or not joins or (len(joins) == 1 and joins[0][0] <= life):
            return FOREVER
        return min((at for newer, at in joins if newer > life), default=FOREVER)

    def _settle_old(self, horizon: int) -> None:
        if self.floor is not None:
            horizon = min(horizon, self.floor)
        if horizon - self._horizon < _SETTLE_MS:
            return
        self._horizon = horizon
        self.loops.settle(horizon)
        for named, lives in self._lives.items():
            worker = self._worker(named) or 0
            for number, life in lives.items():
                if life.ats:
                    life.settle(horizon, self._end_of(worker, number))

    # keyframes

    def dump(self) -> list[Any]:
        """As JSON."""
        return [
            self._horizon,
            [self.spent.dump(), self.shown.dump(), self.loops.dump()],
            *(
                [worker, number, *life.dump()]
                for worker, lives in self._lives.items()
                for number, life in lives.items()
            ),
        ]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        self._horizon, (spent, shown, loops), *lives = data
        self.spent.load(spent)
        self.shown.load(shown)
        self.loops.load(loops)
        for worker, number, base, recent in lives:
            self._begin(worker, number).load(base, recent)
        self._dirty.update(self.born)
