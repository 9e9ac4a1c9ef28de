"""Events to rows and back, and the orders in which they are read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from heapq import merge
from typing import Any

import orjson
from django.db.models import Q, QuerySet

from trajectories.events import RANKS, Event, order_key
from trajectories.models import packed
from trajectories.models.event import EventRow
from trajectories.models.pack import Pack
from trajectories.models.packed import Numbered, packed_events

COLUMNS = ("at", "source", "seq", "key", "part", "kind", "worker", "actor", "said_at", "fields", "n")
_WORKERS = 65_535
_LATEST = 253_402_300_799_999
_BIG = 2**63
_SORTED = 5_000


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


def arrived(run_id: int, after: int, limit: int | None = None) -> Iterator[Numbered]:
    """(n, event) of every kind in order of arrival, n > `after`; the next `limit` of them, for numbers are dense."""
    rows = EventRow.objects.filter(run_id=run_id, n__gt=after)
    packs = Pack.objects.filter(run_id=run_id, last_n__gt=after)
    if limit is not None:
        yield from _few(rows, packs, after, after + limit)
        return
    single = ((row[-1], to_event(row)) for row in rows.order_by("n").values_list(*COLUMNS).iterator(2000))
    many = (
        pair for row in packs.order_by("n").values_list(*packed.COLUMNS).iterator(100) for pair in packed_events(row)
    )
    yield from merge(single, (pair for pair in many if pair[0] > after), key=_number)


def _few(rows: QuerySet[EventRow], packs: QuerySet[Pack], after: int, last: int) -> list[Numbered]:
    """Those up to number `last`, in order of arrival."""
    found = [(row[-1], to_event(row)) for row in rows.filter(n__lte=last).values_list(*COLUMNS)]
    for row in packs.filter(n__lte=last).order_by("n").values_list(*packed.COLUMNS):
        pairs = list(packed_events(row))
        whole = pairs and pairs[0][0] > after and pairs[-1][0] <= last
        found += pairs if whole else [pair for pair in pairs if after < pair[0] <= last]
    found.sort(key=_number)
    return found


def canonical(run_id: int, *which: Q, **limits: int) -> Iterator[Numbered]:
    """(n, event) of the events that are rows, in canonical order; `which` and `limits` are filters such as at__gt=.., n__lte=..

    Steps and what else workers tell of themselves is packed: see `everything` and `told_by`.
    """
    yield from in_order(EventRow.objects.filter(*which, run_id=run_id, **limits))


def in_order(rows: QuerySet[EventRow]) -> Iterator[Numbered]:
    """The same of any rows."""
    stream = rows.order_by("at").values_list(*COLUMNS).iterator(2000)
    # Sorted here within each millisecond: text order differs between databases, Python's is the one that counts.
    group: list[Numbered] = []
    for row in stream:
        if group and row[0] != group[0][1].at:
            if len(group) > 1:
                group.sort(key=_place)
            yield from group
            group = []
        group.append((row[-1], to_event(row)))
    group.sort(key=_place)
    yield from group


def everything(run_id: int, n: int, at: int | None = None, held: tuple[int, int] = (0, -1)) -> Iterator[Numbered]:
    """(n, event) of every kind with number <= `n` and time <= `at`, without those that are both among the first `held[0]` and not later
    than `held[1]`. In canonical order, but that a step of the same millisecond comes first: steps are sums, so it is all one.
    """
    limits = {"n__lte": n} if at is None else {"n__lte": n, "at__lte": at}
    beyond = Q(n__gt=held[0]) | Q(at__gt=held[1])
    rows = canonical(run_id, beyond, **limits) if held[1] >= 0 else canonical(run_id, **limits)
    packs = Pack.objects.filter(run_id=run_id, **limits)
    if held[1] >= 0:
        packs = packs.filter(Q(last_n__gt=held[0]) | Q(last_at__gt=held[1]))
    until = _LATEST if at is None else at

    def inside(first_at: int, last_at: int, last_n: int, *row: Any) -> list[Numbered]:
        pairs = packed_events(row)
        if last_n <= n and last_at <= until and (row[0] > held[0] or first_at > held[1]):
            return pairs
        return [p for p in pairs if p[0] <= n and p[1].at <= until and (p[0] > held[0] or p[1].at > held[1])]

    yield from merge((pair for chunk in _by_time(packs, inside) for pair in chunk), rows, key=_at)


def _by_time(packs: QuerySet[Pack], read: Callable[..., list[Numbered]]) -> Iterator[list[Numbered]]:
    """What `read(at, last_at, last_n, values of packed.COLUMNS..)` finds in packs, a few thousand at once, in order."""
    waiting: list[Numbered] = []
    enough = _SORTED
    for row in packs.order_by("at").values_list("at", "last_at", "last_n", *packed.COLUMNS).iterator(100):
        if len(waiting) >= enough:
            waiting.sort(key=_step)
            done = bisect_left(waiting, row[0], key=_at)
            yield waiting[:done]
            del waiting[:done]
            # What stays is sorted again: seldom, where very much stays.
            enough = len(waiting) + max(_SORTED, len(waiting))
        waiting += read(*row)
    waiting.sort(key=_step)
    yield waiting


def told_by(run_id: int, worker: int, since: int | None = None, until: int | None = None) -> Iterator[Numbered]:
    """(n, event) of all that a worker's own loop and agent said (source acp), in canonical order; times in ms, both included."""
    rows = EventRow.objects.filter(run_id=run_id, rank=RANKS["acp"], worker=worker)
    packs = Pack.objects.filter(run_id=run_id, worker=worker)
    if since is not None:
        rows, packs = rows.filter(at__gte=since), packs.filter(last_at__gte=since)
    if until is not None:
        rows, packs = rows.filter(at__lte=until), packs.filter(at__lte=until)
    single = sorted(((row[-1], to_event(row)) for row in rows.values_list(*COLUMNS).iterator(2000)), key=_place)
    steps = (pair for chunk in _by_time(packs, lambda *row: packed_events(row[3:])) for pair in chunk)
    inside = (p for p in steps if (since is None or p[1].at >= since) and (until is None or p[1].at <= until))
    return merge(single, inside, key=_place)


def by_number(run_id: int, n: int) -> Event | None:
    """The event with this arrival number."""
    return next((event for k, event in arrived(run_id, n - 1, 1) if k == n), None)


def _number(pair: Numbered) -> int:
    return pair[0]


def _step(pair: Numbered) -> tuple[int, int, str, int, int]:
    """The canonical order among steps; the number at last, should ever two of them be alike."""
    n, event = pair
    return (event[0], event[2], event[3], event[4], n)


def _at(pair: Numbered) -> int:
    return pair[1].at


def _place(pair: Numbered) -> tuple[int, int, int, str, int]:
    return order_key(pair[1])
