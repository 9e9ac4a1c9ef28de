"""A trail: events in any order in, net changes out. It sorts, rewinds to before the oldest new event and folds again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from trajectories.events import Event, is_tally, order_key
from trajectories.reducers.change import Change
from trajectories.reducers.fold import Fold
from trajectories.reducers.tables import Key, Row

OrderKey = tuple[int, int, int, str, int]
WINDOW_MS: Final = 60_000
_SPARE: Final = 64  # events kept beyond the window, so that forgetting is done in pieces
_FIRST: Final[OrderKey] = (-(1 << 62), -1, -1, "", -1)


class TooLate(Exception):
    """An event lies before everything the trail can undo. `event` is the earliest such one; nothing was changed."""

    def __init__(self, event: Event) -> None:
        super().__init__(f"{event.ref} is older than the window")
        self.event = event


class Trail:
    """Keeps the ordered events of the last `window_ms` of run time with a mark before each.

    After `take(events)` the State of `fold` equals the fold, in canonical order, of all events ever taken. The changes
    are net: one put or drop for each row that differs from before, in the order the rows were last touched.
    """

    def __init__(self, fold: Fold | None = None, *, window_ms: int = WINDOW_MS, since: OrderKey = _FIRST) -> None:
        self.fold = Fold() if fold is None else fold
        self.since = since  # ordered events at or before this place are refused
        self.window_ms = window_ms
        self._events: list[Event] = []
        self._keys: list[OrderKey] = []
        self._marks: list[int] = []
        self._tallied: set[OrderKey] = set()
        self._tallied_before: set[OrderKey] = set()
        self._tallied_until = 0
        self.fold.mark()

    @property
    def newest(self) -> OrderKey:
        """The place of the newest ordered event taken."""
        return self._keys[-1] if self._keys else self.since

    def take(self, events: Iterable[Event]) -> list[Change]:
        """Events of both kinds. Raises TooLate, with nothing changed, if an ordered one lies before the window."""
        fresh: dict[OrderKey, Event] = {}
        tallies: list[Event] = []
        for event in events:
            key = order_key(event)
            if is_tally(event.kind):
                if key not in self._tallied and key not in self._tallied_before:
                    self._tallied.add(key)
                    tallies.append(event)
            elif not self._holds(key):
                fresh[key] = event
        ordered = sorted(fresh)
        if ordered and ordered[0] <= self.since:
            self._tallied.difference_update(order_key(each) for each in tallies)
            raise TooLate(fresh[ordered[0]])
        changes = self.fold.take_tallies(tallies)
        if ordered:
            changes = self._fold([(key, fresh[key]) for key in ordered], changes)
            self._trim()
        return changes

    def _fold(self, fresh: Sequence[tuple[OrderKey, Event]], changes: list[Change]) -> list[Change]:
        place = bisect_left(self._keys, fresh[0][0])
        again = list(zip(self._keys[place:], self._events[place:], strict=True))
        if not again:
            for key, event in fresh:
                changes += self._apply(key, event)
            return changes
        mark = self._marks[place]
        before = self._shown(self.fold.touched(mark))
        self.fold.rewind(mark)
        del self._keys[place:], self._events[place:], self._marks[place:]
        again += fresh
        again.sort(key=_place)
        refolded: list[Change] = []
        for key, event in again:
            refolded += self._apply(key, event)
        return changes + self._net(before, refolded)

    def _apply(self, key: OrderKey, event: Event) -> list[Change]:
        self._keys.append(key)
        self._events.append(event)
        self._marks.append(self.fold.mark())
        return self.fold.apply(event)

    def _shown(self, rows: Iterable[tuple[str, Key]]) -> dict[tuple[str, Key], Row | None]:
        tables = self.fold.tables
        return {(table, key): dict(row) if (row := tables[table].get(key)) else None for table, key in rows}

    def _net(self, before: dict[tuple[str, Key], Row | None], refolded: list[Change]) -> list[Change]:
        """Rows touched by what was undone are compared with what they showed; the others did change as told."""
        told: dict[tuple[str, Key], Change] = {}
        for change in refolded:
            where = (change.table, change.key)
            old = told.pop(where, None)
            if old is not None and old.op == change.op == "put":
                change = change._replace(fields={**old.fields, **change.fields})
            told[where] = change
        net: list[Change] = []
        at, ref = self.fold.state.now, self.fold.state.ref
        for table, key in before:
            if (table, key) not in told:
                told[table, key] = Change(at, ref, "put", table, key, {})
        for (table, key), change in told.items():
            row = self.fold.tables[table].get(key)
            if (table, key) not in before:
                net.append(change)
            elif row is None:
                if before[table, key] is not None:
                    net.append(change._replace(op="drop", fields={}))
            elif fields := _differing(before[table, key], row):
                net.append(change._replace(op="put", fields=fields))
        return net

    def _holds(self, key: OrderKey) -> bool:
        place = bisect_left(self._keys, key)
        return place < len(self._keys) and self._keys[place] == key

    def _trim(self) -> None:
        horizon = self._keys[-1][0] - self.window_ms
        place = bisect_left(self._keys, (horizon,))
        if place > _SPARE:
            self.since = self._keys[place - 1]
            self.fold.forget(self._marks[place], self.since[0])
            del self._keys[:place], self._events[:place], self._marks[:place]
        if horizon > self._tallied_until:
            self._tallied_until = horizon + self.window_ms
            self._tallied, self._tallied_before = set(), self._tallied


def _place(pair: tuple[OrderKey, Event]) -> OrderKey:
    return pair[0]


def _differing(old: Row | None, new: Row) -> Row:
    if old is None:
        return dict(new)
    return {name: value for name, value in new.items() if old[name] != value or type(old[name]) is not type(value)}
