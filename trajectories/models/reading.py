"""Events to rows and back, and the orders in which they are read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import chain, pairwise, tee
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
    yield from _canonical(EventRow.objects.filter(*which, run_id=run_id, **limits))


def _canonical(rows: QuerySet[EventRow]) -> Iterator[Numbered]:
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
    for steps, pair in in_runs(run_id, n, at, held):
        yield from steps
        if pair is not None:
            yield pair


def in_runs(
    run_id: int, n: int, at: int | None = None, held: tuple[int, int] = (0, -1)
) -> Iterator[tuple[list[Numbered], Numbered | None]]:
    """The same as (the steps up to an event, that event), the last time without one: what is only summed can be taken many at once."""
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

    yield from _woven(rows, _by_time(packs, inside))


def growing(
    run_id: int, moments: Iterable[int], using: str | None = None
) -> Iterator[tuple[list[Numbered], Numbered | None]]:
    """The same of a run that is being stored: each moment says up to which time all is there, and the last that nothing comes after it.

    Two look at the moments, the rows and the packs, so each is asked for when whichever needs it first does. `using` = the connection.
    """
    for_rows, for_packs = tee(pairwise(chain((-1,), moments)))
    found = EventRow.objects.using(using).filter(run_id=run_id)
    rows = (p for after, upto in for_rows for p in _canonical(found.filter(at__gt=after, at__lte=upto)))
    packs = Pack.objects.using(using).filter(run_id=run_id)

    def chunks() -> Iterator[list[Numbered]]:
        waiting: list[Numbered] = []
        for after, upto in for_packs:
            yield from _sorted(packs.filter(at__gt=after, at__lte=upto), _whole, waiting)
            done = bisect_right(waiting, upto, key=_at)
            yield waiting[:done]
            del waiting[:done]
        yield waiting

    yield from _woven(rows, chunks())


def _woven(
    rows: Iterator[Numbered], chunks: Iterator[list[Numbered]]
) -> Iterator[tuple[list[Numbered], Numbered | None]]:
    """(the steps up to an event, that event). What follows the last event comes in pieces whose size is of no chunk's making."""
    steps: list[Numbered] = []
    place = 0
    for pair in rows:
        upto, taken = pair[1].at, []
        while True:
            end = bisect_right(steps, upto, place, key=_at)
            taken += steps[place:end]
            place = end
            if end < len(steps) or (more := next(chunks, None)) is None:
                break
            steps, place = more, 0
        yield taken, pair
    left = steps[place:]
    for chunk in chunks:
        left += chunk
        while len(left) > _SORTED:
            yield left[:_SORTED], None
            del left[:_SORTED]
    yield left, None


def _by_time(packs: QuerySet[Pack], read: Callable[..., list[Numbered]]) -> Iterator[list[Numbered]]:
    """What `read(at, last_at, last_n, values of packed.COLUMNS..)` finds in packs, a few thousand at once, in order."""
    waiting: list[Numbered] = []
    yield from _sorted(packs, read, waiting)
    yield waiting


def _sorted(
    packs: QuerySet[Pack], read: Callable[..., list[Numbered]], waiting: list[Numbered]
) -> Iterator[list[Numbered]]:
    """The same but for the last of them, which are left in `waiting`, in order: a pack spans minutes, not hours."""
    enough = len(waiting) + _SORTED
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


def _whole(_at: int, _last_at: int, _last_n: int, *row: Any) -> list[Numbered]:
    return packed_events(row)


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
