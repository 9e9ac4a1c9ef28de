"""Events to rows and back, and the orders in which they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import orjson
from django.db.models import Q, QuerySet

from trajectories.events import RANKS, Event, order_key
from trajectories.models.event import EventRow

COLUMNS = ("at", "source", "seq", "key", "part", "kind", "worker", "actor", "said_at", "fields", "n")
_WORKERS = 65_535
_LATEST = 253_402_300_799_999
_BIG = 2**63


def to_row(run_id: int, n: int, event: Event) -> tuple[Any, ...]:
    """The values of `bulk.EVENT`. Whatever a parser let through fits its column, or the event says null there."""
    worker = event.worker if type(event.worker) is int and 0 < event.worker <= _WORKERS else None
    said = event.said_at if type(event.said_at) is int and 0 <= event.said_at <= _LATEST else None
    at = min(max(event.at, 0), _LATEST)
    seq = min(max(event.seq, -_BIG), _BIG - 1)
    actor = event.actor[:200] if event.actor else event.actor
    fields = orjson.dumps(dict(event.fields), option=orjson.OPT_NON_STR_KEYS).decode()
    place = (run_id, n, at, RANKS[event.source], seq, event.source, event.id[:160], event.part)
    return (*place, event.kind, worker, actor, said, fields)


def to_event(row: tuple[Any, ...]) -> Event:
    """From the values of COLUMNS."""
    at, source, seq, key, part, kind, worker, actor, said_at, fields, _ = row
    return Event(at, source, seq, key, part, kind, worker, actor, said_at, orjson.loads(fields))


def arrived(run_id: int, after: int, limit: int | None = None) -> Iterator[tuple[int, Event]]:
    """(n, event) in order of arrival, n > `after`."""
    rows = EventRow.objects.filter(run_id=run_id, n__gt=after).order_by("n").values_list(*COLUMNS)
    found = rows.iterator(2000) if limit is None else iter(rows[:limit])
    return ((row[-1], to_event(row)) for row in found)


def canonical(run_id: int, *which: Q, **limits: int) -> Iterator[tuple[int, Event]]:
    """(n, event) in canonical order; `which` and `limits` are filters such as at__gt=.., n__lte=.."""
    rows: QuerySet[EventRow] = EventRow.objects.filter(*which, run_id=run_id, **limits)
    stream = rows.order_by("at").values_list(*COLUMNS).iterator(2000)
    # Sorted here within each millisecond: text order differs between databases, Python's is the one that counts.
    for _, group in groupby(stream, key=lambda row: row[0]):
        pairs = [(row[-1], to_event(row)) for row in group]
        yield from sorted(pairs, key=lambda pair: order_key(pair[1]))
