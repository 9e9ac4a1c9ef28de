"""The newest tables of a run, kept in this process and carried forward by the change records that came since.

Readers hold a snapshot that never changes under them: what moves on is copied first, table by table and row by row.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson
from django.http import Http404

from runs.models import Run
from trajectories import memory
from trajectories.blocks import Row, Rows
from trajectories.derive import changelog, keyframes
from trajectories.ingest.garbage import seldom_collected
from trajectories.live import records
from trajectories.models import Stream
from trajectories.models.packing import in_blocks

Tables = Mapping[str, Mapping[Any, Row]]
T = TypeVar("T")
KEPT = 6  # runs; the State of 1,024 workers over six hours takes some 15 MB, and 47 as text


class Opened(Mapping[str, Mapping[Any, Row]]):
    """The tables of a settled run, each read when it is first asked for: no page needs all of them, and no moment holds the rows of all."""

    def __init__(self, unread: Mapping[str, keyframes.Unread]) -> None:
        self.names, self.unread = list(unread), dict(unread)
        self.read: dict[str, Mapping[Any, Row]] = {}
        self.guard = threading.Lock()

    def __getitem__(self, name: str) -> Mapping[Any, Row]:
        if name not in self.read:
            with memory.used():
                self._open(name)
        return self.read[name]

    def laid(self, name: str) -> Mapping[Any, Row]:
        """The rows of a table in memory."""
        found = self._open(name)
        return found.laid() if isinstance(found, Rows) else dict(found)

    def _open(self, name: str) -> Mapping[Any, Row]:
        with self.guard, seldom_collected():
            if name in self.unread:
                blocks, rows = self.unread[name].blocks(), {}
                if blocks is None:
                    rows = self.unread[name].laid()
                    blocks = in_blocks(rows)
                self.read[name] = rows if blocks is None else Rows(blocks)
                del self.unread[name]
            return self.read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class _LaidOut(Mapping[str, Mapping[Any, Row]]):
    """Tables of which some are read once and held, as long as this is."""

    def __init__(self, tables: Tables, names: Iterable[str]) -> None:
        self.tables, self.names = tables, frozenset(names)
        self.held: dict[str, Mapping[Any, Row]] = {}

    def __getitem__(self, name: str) -> Mapping[Any, Row]:
        if name not in self.names:
            return self.tables[name]
        self.held[name] = self.laid(name)
        return self.held[name]

    def laid(self, name: str) -> Mapping[Any, Row]:
        """The rows of a table in memory; those held already, if this or what is below it holds them."""
        below = self.tables
        return self.held.get(name) or (below.laid(name) if isinstance(below, Opened | _LaidOut) else dict(below[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)


@dataclass(frozen=True, slots=True)
class Newest:
    """`tables` after change `c` of `generation`; `t0` = `at` of run.started in ms or None; `n` = newest event number."""

    run_id: int
    generation: int
    c: int
    n: int
    t0: int | None
    settled: bool
    tables: Tables
    _read: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def reading(self, make: Callable[[Newest], T]) -> T:
        """`make(self)`, worked out once per snapshot."""
        if make not in self._read:
            with memory.used() if self.settled else nullcontext(), seldom_collected():
                self._read[make] = make(self)
        return self._read[make]  # type: ignore[no-any-return]

    def laid_out(self, *names: str) -> Newest:
        """The same with these tables as rows in memory once they are asked for: for readings that go over them again and again."""
        return replace(self, tables=_LaidOut(self.tables, names))

    def row(self, table: str, key: int | str, word: str) -> Row:
        """A row, or Http404 naming what is missing."""
        found = self.tables[table].get(key)
        if found is None:
            raise Http404(f"This run has no {word} {key}.")
        return found

    def seconds(self, at_ms: int) -> float:
        """Seconds since run.started; since the epoch where the run never started."""
        return (at_ms - (self.t0 or 0)) / 1000


_held: OrderedDict[tuple[int, Any], Newest] = OrderedDict()
_guard = threading.Lock()
_locks: dict[int, threading.Lock] = {}


def newest(run: Run) -> Newest:
    """The newest State of a run. Its `created_at` tells apart databases that use an id again."""
    name = (run.pk, run.created_at)
    with _guard:
        lock = _locks.setdefault(run.pk, threading.Lock())
    with lock:
        stream = Stream.of(run.pk)
        with _guard:
            known = _held.get(name)
        found = _forward(stream, known)
        with _guard:
            _held[name] = found
            _held.move_to_end(name)
            while len(_held) > KEPT:
                _held.popitem(last=False)
        return found


def opened(run_id: int) -> Newest:
    """The same, held by nobody but who asks: for once."""
    return _forward(Stream.of(run_id), None)


def _forward(stream: Stream, known: Newest | None) -> Newest:
    same = known is not None and known.generation == stream.generation and known.c <= stream.c
    if same and known is not None and (known.c, known.n, known.settled) == (stream.c, stream.n, stream.settled):
        return known
    place = (stream.run_id, stream.generation, stream.c, stream.n, stream.t0, stream.settled)
    if not same or known is None:
        with seldom_collected():
            return Newest(*place, tables_at(stream.run_id, stream.generation, stream.c))
    tables: dict[str, Any] = dict(known.tables)
    fresh: set[str] = set()
    for _, _, _, op, table, key_text, fields in records.between(stream.run_id, stream.generation, known.c, stream.c):
        if table not in fresh:
            tables[table] = dict(tables[table])
            fresh.add(table)
        key = orjson.loads(key_text)
        if op == "put":
            tables[table][key] = {**tables[table].get(key, {}), **orjson.loads(fields)}
        elif op == "drop":
            tables[table].pop(key, None)
    return Newest(*place, tables)


def tables_at(run_id: int, generation: int, c: int) -> Tables:
    """All tables after change `c`: read one by one as asked for where a keyframe stands there, as at the end of a settled run."""
    found = keyframes.by_table(run_id, generation, c)
    return changelog.tables_at(run_id, generation, c) if found is None else Opened(found)
