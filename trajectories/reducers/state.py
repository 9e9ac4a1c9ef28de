"""The State: tables, private indexes and timers, every write journaled so that it can be undone."""

from __future__ import annotations

from typing import Any, Final

from trajectories.reducers.change import Change
from trajectories.reducers.tables import TABLES, Key, Row, Value
from trajectories.reducers.waiting import Timers, Waiting

_NOTHING: Final[Row] = {}  # what a drop tells of the row's fields
_MISSING: Final = object()
_TOUCHED: Final = object()
_change: Final = tuple.__new__  # a run has millions of changes: this skips the reading of arguments by name
#: A new row of each table, its key's column first: copied whole, which costs less than to put it together anew.
_BLANK: Final[dict[str, Row]] = {name: {table.key: None, **table.blank} for name, table in TABLES.items()}


class State:
    """Dicts of immutable values, written only through `put`, `drop`, `assign` and `remove`: that is what makes undo exact.

    Values are replaced, never mutated: sequences in indexes are tuples, lists in rows are new lists.
    `tally` writes columns that are recomputed after every undo, hence not journaled.
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[Key, Row]] = {table: {} for table in TABLES}
        self.indexes: dict[str, dict[Any, Any]] = {}
        self.timers: Timers = self.index("timers")
        self.now = 0
        self.ref = ""
        self.waiting = Waiting(self.timers)
        self.marked = False  # somebody will ask what was touched since a mark
        self._log: list[tuple[Any, Any, Any]] = []
        self._forgotten = 0
        self._pending: dict[tuple[str, Key], Change] = {}

    def index(self, name: str) -> dict[Any, Any]:
        """A private dict, kept in snapshots under this name."""
        return self.indexes.setdefault(name, {})

    # rows

    def put(self, table: str, key: Key, **fields: Value) -> None:
        """Set these fields of a row, making the row if it is new. Fields that do not change cause no change record."""
        row = self.tables[table].get(key)
        if row is None:
            self.start(table, key, fields)
            return
        changed: Row = {}
        for name, value in fields.items():
            old = row.get(name)
            if old is not value and (old != value or type(old) is not type(value)):
                self._log.append((row, name, old))
                row[name] = value
                changed[name] = value
        if changed:
            self._record(table, key, changed)

    def start(self, table: str, key: Key, fields: Row) -> None:
        """Make a row that is not there yet."""
        rows = self.tables[table]
        row = _BLANK[table].copy()
        row[TABLES[table].key] = key
        row.update(fields)
        self._log.append((rows, key, _MISSING))
        rows[key] = row
        self._record(table, key, row.copy())

    def tally(self, table: str, key: Key, fields: Row) -> None:
        """Set tally columns of an existing row, outside the journal."""
        row = self.tables[table][key]
        changed: Row = {}
        for name, value in fields.items():
            if row[name] != value:
                row[name] = changed[name] = value
        if changed:
            self._record(table, key, changed)

    def count(self, worker: int, steps: int, seen: str) -> None:
        """`tally` for what comes most: more steps of a worker, and a newer sign of life, empty if there is none."""
        row = self.tables["workers"][worker]
        changed: Row = {}
        if steps:
            row["steps"] = changed["steps"] = row["steps"] + steps  # type: ignore[operator]
        if seen:
            row["last_seen_at"] = changed["last_seen_at"] = seen
        if not changed:
            return
        where = ("workers", worker)
        if where in self._pending:
            self._record("workers", worker, changed)
            return
        if self.marked:
            self._log.append((_TOUCHED, "workers", worker))
        self._pending[where] = _change(Change, (self.now, self.ref, "put", "workers", worker, changed))

    def tally_row(self, table: str, key: Key, fields: Row | None) -> None:
        """Set or, with None, take out a row that a tally owns alone, outside the journal."""
        rows = self.tables[table]
        if fields is None:
            if rows.pop(key, None) is not None:
                self._record_drop(table, key)
        elif key in rows:
            self.tally(table, key, fields)
        else:
            rows[key] = {**_BLANK[table], TABLES[table].key: key, **fields}
            self._record(table, key, dict(rows[key]))

    def drop(self, table: str, key: Key) -> None:
        """Take a row out; nothing happens if there is none."""
        rows = self.tables[table]
        row = rows.pop(key, None)
        if row is None:
            return
        self._log.append((rows, key, row))
        self._record_drop(table, key)

    def _record_drop(self, table: str, key: Key) -> None:
        where, pending = (table, key), self._pending
        if self.marked:
            self._log.append((_TOUCHED, table, key))
        if where in pending:
            del pending[where]
        pending[where] = _change(Change, (self.now, self.ref, "drop", table, key, _NOTHING))

    def _record(self, table: str, key: Key, changed: Row) -> None:
        where, pending = (table, key), self._pending
        before = pending.get(where)
        if before is None or before.op == "drop":
            if self.marked:
                self._log.append((_TOUCHED, table, key))
            if before is not None:
                del pending[where]
            pending[where] = _change(Change, (self.now, self.ref, "put", table, key, changed))
        else:
            before.fields.update(changed)

    def collect(self) -> list[Change]:
        """The changes since the last call, one record a row."""
        if not self._pending:
            return []
        changes = list(self._pending.values())
        self._pending = {}
        return changes

    # private indexes

    def assign(self, index: dict[Any, Any], key: Any, value: Any) -> None:
        """Set one entry of a private index, journaled."""
        self._log.append((index, key, index.get(key, _MISSING)))
        index[key] = value

    def remove(self, index: dict[Any, Any], key: Any) -> None:
        """Take one entry out of a private index, journaled."""
        if key in index:
            self._log.append((index, key, index.pop(key)))

    def member(self, index: dict[Any, Any], key: Any, item: Any) -> None:
        """Add an item to the group under `key` (a dict of items)."""
        group = index.get(key)
        if group is None:
            self._log.append((index, key, _MISSING))
            index[key] = {item: True}
        elif item not in group:
            self._log.append((group, item, _MISSING))
            group[item] = True

    def leave(self, index: dict[Any, Any], key: Any, item: Any) -> None:
        """Take an item out of the group under `key`; an empty group goes too."""
        group = index.get(key)
        if group is None or item not in group:
            return
        if len(group) == 1:
            self._log.append((index, key, index.pop(key)))
        else:
            self._log.append((group, item, group.pop(item)))

    # timers

    def timer(self, table: str, key: Key, due: int) -> None:
        """Wake the reducer of `table` for `key` at `due`; a later call replaces an earlier one."""
        where = (table, key)
        before: Any = self.timers.get(where, _MISSING)
        if before is _MISSING or before[0] != due:
            self._log.append((self.timers, where, before))
            self.timers[where] = (due, self.ref)
            self.waiting.add(due, where)

    def cancel(self, table: str, key: Key) -> None:
        """Forget a timer."""
        told = self.timers.pop((table, key), None)
        if told is not None:
            self._log.append((self.timers, (table, key), told))

    def due(self, at: int) -> tuple[int, str, str, Key] | None:
        """Take out the next timer due <= at: (due, ref, table, key), in (due, table, key) order."""
        while (found := self.waiting.next(at)) is not None:
            due, where = found
            told = self.timers.get(where)
            if told is not None and told[0] == due:
                self._log.append((self.timers, where, told))
                del self.timers[where]
                return due, told[1], *where
        return None

    # going back

    def mark(self) -> int:
        """The present place in the journal."""
        return self._forgotten + len(self._log)

    def touched(self, mark: int) -> set[tuple[str, Key]]:
        """The rows written since the mark."""
        return {(name, old) for where, name, old in self._log[mark - self._forgotten :] if where is _TOUCHED}

    def rewind(self, mark: int) -> set[tuple[str, Key]]:
        """Undo every journaled write after the mark; the rows touched by what was undone."""
        length = mark - self._forgotten
        log = self._log
        if length < 0 or length > len(log):
            raise ValueError(f"mark {mark} is outside the journal")
        touched: set[tuple[str, Key]] = set()
        while len(log) > length:
            where, name, old = log.pop()
            if where is _TOUCHED:
                touched.add((name, old))
            elif old is _MISSING:
                del where[name]
            else:
                where[name] = old
        self._pending = {}
        self.rebuild_heap()
        return touched

    def settle(self) -> None:
        """Free the whole journal: no mark is held."""
        self._forgotten += len(self._log)
        self._log.clear()

    def forget(self, mark: int) -> None:
        """Free the journal before the mark."""
        count = mark - self._forgotten
        if count > 0:
            del self._log[:count]
            self._forgotten = mark

    def rebuild_heap(self) -> None:
        """Who waits follows from the timers."""
        self.waiting = Waiting(self.timers)
