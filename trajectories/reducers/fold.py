"""The fold: events in, changes out. It fires timers, resolves who acts, and hands each event to the topics that hear it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trajectories.events import TALLIES, Event
from trajectories.reducers.ahead import Steps
from trajectories.reducers.change import Change
from trajectories.reducers.doubles import Doubles
from trajectories.reducers.fields import text
from trajectories.reducers.hashing import order_of, rows_hash
from trajectories.reducers.packing import pack, unpack
from trajectories.reducers.rules import RULES_VERSION
from trajectories.reducers.speakers import life_of
from trajectories.reducers.state import State
from trajectories.reducers.tables import TABLES, Key, Row
from trajectories.reducers.team import Team
from trajectories.reducers.topic import Seen

_BOUNDARIES = frozenset(["run.ticked", "run.ended", "turn.finished"])


class Fold:
    """The State of a run up to the last event taken. See the package docstring for the promises."""

    def __init__(self) -> None:
        self.state = State()
        self.team = Team(self.state)
        self.doubles = Doubles(self.state)
        self._hearers: dict[str, tuple[Callable[[Seen], None], ...]] = {}
        self._wakers = {topic.table: topic.woken for topic in self.team.topics}
        self._marked = False
        #: the latest events or timers a reducer could not digest: (ref, error). Always empty, unless there is a bug.
        self.faults: list[tuple[str, str]] = []

    @property
    def tables(self) -> dict[str, dict[Key, Row]]:
        """{table: {key: row}}, read only."""
        return self.state.tables

    @property
    def offset_at(self) -> int | None:
        """`at` of run.started: the zero of t."""
        return self.team.limits.started_at

    def take(self, event: Event) -> list[Change]:
        """Apply or tally, by the kind of the event."""
        return self.tally(event) if event.kind in TALLIES else self.apply(event)

    def apply(self, event: Event) -> list[Change]:
        """An ordered event, in canonical order."""
        if type(event.fields) is not dict:
            event = _sound(event)
        state = self.state
        fired = [] if state.waiting.quiet(event.at) else self._fire(event.at)
        state.now, state.ref = event.at, event.ref
        mark = state.mark()
        try:
            self._hear(event)
        except Exception as fault:  # a reducer's mistake must cost one event's meaning, not the run's
            state.rewind(mark)
            self._fault(event.ref, fault)
        if not self._marked:
            state.settle()
        return fired + state.collect() if fired else state.collect()

    def _hear(self, event: Event) -> None:
        team, fields = self.team, event.fields
        if self.doubles.is_double(event, fields):
            return
        kind, source = event.kind, event.source
        who = team.people.of_event(event)
        if source == "acp" and team.workers.is_older_life(who, life_of(event)):
            return
        if source == "run":
            if kind == "run.started":
                team.limits.begin(event.at, fields)
            elif kind == "run.phase_changed":
                team.limits.phase(event.at, text(fields, "phase"))
            elif kind == "run.ended":
                team.limits.end(event.at)
        elif type(who) is int:
            team.tallies.saw(who, event.at)
        seen = Seen(kind, source, event.at, event.said, self.state.ref, who, fields)
        hearers = self._hearers.get(kind)
        if hearers is None:
            hearers = self._hearers[kind] = team.hearers(kind)
        for hear in hearers:
            hear(seen)
        if kind in _BOUNDARIES:
            self._bound(kind, seen)

    def _fault(self, ref: str, fault: Exception) -> None:
        self.faults.append((ref, f"{type(fault).__name__}: {fault}"[:300]))
        del self.faults[:-100]

    def tally(self, event: Event) -> list[Change]:
        """A tally event, in any order, exactly once."""
        state = self.state
        clock = state.now
        self.team.tallies.add(event if type(event.fields) is dict else _sound(event))
        state.now = clock
        return state.collect()

    def take_tallies(self, events: Iterable[Event]) -> list[Change]:
        """Tally events at once, in any order, each exactly once: what lies between two ordered events of a long run."""
        state, add = self.state, self.team.tallies.add
        clock = state.now
        for event in events:
            add(event if type(event.fields) is dict else _sound(event))
        state.now = clock
        return state.collect()

    def take_steps(self, steps: Steps) -> bool:
        """Whole steps of a pack, none of which began before the last event taken: some may still be to come. False, and nothing is done,
        where they have to be told one by one. Not for a fold that is marked; what is still to come is told with `catch_up`."""
        if self._marked or self.team.tallies.loops.meets(steps):
            return False
        self.team.tallies.ahead.take(steps)
        return True

    def catch_up(self) -> None:
        """No event comes any more: tell the tallies what they were told ahead of its time."""
        self.team.tallies.ahead.catch_up()

    def advance(self, at: int) -> list[Change]:
        """Fire the timers due <= at."""
        return self._fire(at)

    def mark(self) -> int:
        """A place to rewind to."""
        if not self._marked:
            self._marked = self.state.marked = True
            self.team.tallies.marked(self.state.now)
        return self.state.mark()

    def touched(self, mark: int) -> set[tuple[str, Key]]:
        """The rows that `rewind(mark)` may change."""
        return self.state.touched(mark) | self.team.tallies.recent()

    def rewind(self, mark: int) -> set[tuple[str, Key]]:
        """Undo the ordered fold to the mark; the rows touched by what was undone."""
        touched = self.state.rewind(mark)
        self.team.tallies.rewound()
        return touched | {(change.table, change.key) for change in self.state.collect()}

    def forget(self, mark: int, at: int) -> None:
        """Marks before this one, taken at `at`, will not be used again."""
        self.state.forget(mark)
        self.team.tallies.marked(at)

    def hash(self) -> str:
        """The State hash."""
        return rows_hash(self.tables)

    def snapshot(self) -> dict[str, Any]:
        """Everything, as JSON values: tables (as `state_json` shows them) and what `inner` holds."""
        shown = {table: {str(key): dict(row) for key, row in rows.items()} for table, rows in self.tables.items()}
        return {"rules_version": RULES_VERSION, "tables": shown, **self.inner()}

    def inner(self) -> dict[str, Any]:
        """What no table shows: private indexes, timers, tallies."""
        indexes = {name: pack(index) for name, index in self.state.indexes.items()}
        return {"indexes": indexes, "tallies": pack(self.team.tallies.dump())}

    @staticmethod
    def tables_of(snapshot: Mapping[str, Any]) -> dict[str, dict[Key, Row]]:
        """The tables of a snapshot, or of its part without `inner`. Raises ValueError if other rules made it or it is none."""
        if snapshot.get("rules_version") != RULES_VERSION:
            raise ValueError(f"keyframe of rules {snapshot.get('rules_version')}, these are {RULES_VERSION}")
        found: dict[str, dict[Key, Row]] = {table: {} for table in TABLES}
        for table, rows in snapshot["tables"].items():
            column = TABLES[table].key
            found[table] = {row[column]: row for row in rows.values()}
        return found

    @classmethod
    def restore(cls, snapshot: Mapping[str, Any]) -> Fold:
        """The Fold a snapshot was taken from. Raises ValueError if other rules made it or it is none."""
        try:
            return cls._restored(snapshot)
        except (AttributeError, IndexError, KeyError, TypeError) as fault:
            raise ValueError(f"this is no keyframe: {fault!r}") from fault

    @classmethod
    def _restored(cls, snapshot: Mapping[str, Any]) -> Fold:
        fold = cls()
        for table, rows in cls.tables_of(snapshot).items():
            fold.tables[table].update(rows)
        for name, index in snapshot["indexes"].items():
            fold.state.index(name).update(unpack(index))
        fold.team.tallies.load(unpack(snapshot["tallies"]))
        fold.state.rebuild_heap()
        return fold

    def _fire(self, at: int) -> list[Change]:
        state = self.state
        fired: list[Change] = []
        while (due := state.due(at)) is not None:
            state.now, state.ref, table, key = due
            mark = state.mark()
            try:
                self._wakers[table](key)
            except Exception as fault:
                state.rewind(mark)
                self._fault(state.ref, fault)
            fired += state.collect()
        return fired

    def _bound(self, kind: str, seen: Seen) -> None:
        if kind == "turn.finished":
            if seen.worker is not None:
                self.team.tallies.boundary(seen.at, seen.worker)
        else:
            self.team.tallies.boundary(seen.at)


def _sound(event: Event) -> Event:
    """Fields are an object, whatever a source made of them."""
    fields = event.fields
    return event if type(fields) is dict or isinstance(fields, Mapping) else event._replace(fields={})


def state_json(fold: Fold, table: str | None = None) -> dict[str, Any]:
    """What `run_state --json` prints; `table` narrows the tables, never the hash. Raises KeyError for an unknown table."""
    names = sorted(TABLES) if table is None else [table]
    tables = {name: {str(key): row for key, row in sorted(fold.tables[name].items(), key=_by_key)} for name in names}
    return {"hash": fold.hash(), "rules_version": RULES_VERSION, "tables": tables}


def _by_key(item: tuple[Key, Row]) -> tuple[bool, int, str]:
    return order_of(item[0])
