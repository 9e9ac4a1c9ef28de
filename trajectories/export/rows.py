"""What is taken away as rows: a table of the State, the events, or what pages say of the team; a few thousand at a time, whatever the run's size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runs.models import Run
from trajectories import listed
from trajectories.events import millis
from trajectories.export.columns import COLUMNS
from trajectories.export.filters import Filters
from trajectories.export.readings import READINGS, rows_of
from trajectories.export.words import holding
from trajectories.models import Stream
from trajectories.models.roster import roster
from trajectories.newest import newest
from trajectories.reducers import TABLES

EVENTS = "events"
NAMES = (EVENTS, *sorted(TABLES), *READINGS)
PAGE = 2_000
_EVENT = {"n": int, "at": str, "kind": str, "worker": int, "actor": str, "said_at": str, "source": str, "ref": str}

Rows = Iterator[list[Any]]


class NoSuchTable(KeyError):
    """A name that is no table of the State, no reading and not `events`."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Named columns with their types (int, float, bool, str; `list` for lists, None = mixed, said as JSON) and the rows."""

    name: str
    columns: Mapping[str, type | None]
    rows: Rows


def sheet(run: Run, name: str, filters: Filters) -> Sheet:
    """A table or a reading as it is now, or the events in order of arrival. Raises NoSuchTable."""
    if name == EVENTS:
        return Sheet(EVENTS, {**_EVENT, "fields": None}, _events(run, filters))
    if name in READINGS:
        return _told(run, name, filters)
    if name not in TABLES:
        raise NoSuchTable(name)
    state, key = newest(run), TABLES[name].key
    columns = [key, *TABLES[name].blank]
    span = None if filters.since is None and filters.until is None else filters.span(state.t0)
    known = _names(run) if filters.worker is not None else frozenset()
    found = [row for _, row in sorted(state.tables[name].items(), key=lambda item: _order(item[0]))]
    holds = holding(filters.words)
    kept = [row for row in found if _is_of(row, filters.worker, known) and _is_within(row, span) and holds(row)]
    return Sheet(name, _typed(name, columns, kept), _cells(kept, columns))


def _cells(rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> Rows:
    for row in rows:
        yield [row.get(column) for column in columns]


def _told(run: Run, name: str, filters: Filters) -> Sheet:
    """A reading, with every column it may have."""
    told = rows_of(run, newest(run), name, filters)
    return Sheet(name, _typed(name, COLUMNS[name], told), _cells(told, COLUMNS[name]))


def _events(run: Run, filters: Filters) -> Rows:
    stream = Stream.of(run.pk)
    low, high = filters.span(stream.t0)
    holds = holding(filters.words)
    narrow, after = filters.since is not None or filters.until is not None, 0
    while after < stream.n:
        upto, page = listed.page(run.pk, after, PAGE, filters.kind, filters.worker)
        for event in page:
            inside = not narrow or low <= millis(event["at"]) <= high
            if event["n"] <= stream.n and inside and holds({"fields": event["fields"]}):
                yield [*(event[name] for name in _EVENT), event["fields"]]
        if upto <= after:
            return
        after = upto


def _is_of(row: Mapping[str, Any], worker: int | None, known: frozenset[str]) -> bool:
    """Rows that name workers name this one in some column; rows that name none stay out when a worker is asked for."""
    if worker is None:
        return True
    named = (row.get(column) for column in ("worker", "author", "reviewer", "merged_by", "from_worker", "to_worker"))
    return any(value == worker or value in known for value in named if value is not None)


def _names(run: Run) -> frozenset[str]:
    return frozenset(roster(run.pk))


def _is_within(row: Mapping[str, Any], span: tuple[int, int] | None) -> bool:
    """By the time the row begins: its first column of a time that is set. A row without any time is always there."""
    if span is None:
        return True
    for column in ("at", "opened_at", "joined_at", "since", "lost_at", "first_seen_at"):
        if isinstance(row.get(column), str):
            return span[0] <= millis(str(row[column])) <= span[1]
    return True


def _typed(name: str, columns: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, type | None]:
    """Each column as declared; None where a row holds something else: somebody outside the team is a name where workers are numbers."""
    return {column: _type(COLUMNS[name].get(column), (row.get(column) for row in rows)) for column in columns}


def _type(declared: type | None, values: Iterator[Any]) -> type | None:
    held = {type(value) for value in values if value is not None}
    return declared if held <= ({int, float} if declared is float else {declared}) else None


def _order(key: int | str) -> tuple[bool, int, str]:
    return (isinstance(key, str), key if isinstance(key, int) else 0, str(key))
