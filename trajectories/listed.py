"""Events after a number, narrowed by kind and worker: what the API, the command and pages list."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Any

from django.db.models import Q

from trajectories.events import KINDS, Event, iso
from trajectories.models import EventRow, Pack, Stream
from trajectories.models.packed import COLUMNS as PACK_COLUMNS
from trajectories.models.packed import Numbered, packed_events
from trajectories.models.reading import COLUMNS, to_event
from trajectories.models.roster import roster

PACKS = 1_000  # packs looked through for one page: some 200,000 steps


def events(run_id: int, after: int, limit: int, kind: str = "", worker: int | None = None) -> list[dict[str, Any]]:
    """At most `limit` events after arrival number `after`; `kind` may end in `*` and name several, separated by commas.

    An empty list says that there are none, however many had to be looked through.
    """
    while True:
        upto, rows = page(run_id, after, limit, kind, worker)
        if rows or upto >= Stream.of(run_id).n:
            return rows
        after = upto


def page(run_id: int, after: int, limit: int, kind: str, worker: int | None) -> tuple[int, list[dict[str, Any]]]:
    """(n to go on after, events). Everything up to that number was looked at, whatever the filter let through."""
    known, newest = roster(run_id), Stream.of(run_id).n
    single = EventRow.objects.filter(run_id=run_id, n__gt=after)
    if worker is not None:
        names = [name for name, number in known.items() if number == worker]
        single = single.filter(Q(worker=worker) | Q(actor__in=names))
    wanted = wanted_kinds(kind)
    if kind:
        single = single.filter(kind__in=wanted)
    steps, end = _steps(run_id, after, limit, wanted, worker)
    if end is not None:
        single, newest = single.filter(n__lte=end), min(end, newest)
    rows = ((row[-1], to_event(row)) for row in single.order_by("n").values_list(*COLUMNS)[:limit])
    found = [shown(n, event, known) for n, event in islice(merge(rows, steps, key=lambda pair: pair[0]), limit)]
    return (found[-1]["n"] if len(found) == limit else max(newest, after)), found


def newest(run_id: int, limit: int, kind: str) -> tuple[int, list[dict[str, Any]]]:
    """(n to go on after, the last `limit` events by their time, in order of arrival). Packed events are not looked for."""
    known, last = roster(run_id), Stream.of(run_id).n
    found: list[tuple[Any, ...]] = []
    for each in wanted_kinds(kind):  # one walk down the index a kind, instead of a sort of all of them
        rows = EventRow.objects.filter(run_id=run_id, rank__lt=5, kind=each, n__lte=last)
        found += rows.order_by("-at").values_list(*COLUMNS)[:limit]
    kept = sorted(found, key=lambda row: row[0])[-limit:]
    return last, [shown(row[-1], to_event(row), known) for row in sorted(kept, key=lambda row: row[-1])]


def _steps(
    run_id: int, after: int, limit: int, wanted: frozenset[str], worker: int | None
) -> tuple[Iterator[Numbered], int | None]:
    """Packed events that pass, and the number up to which packs were looked at, None if to the end."""
    packs = Pack.objects.filter(run_id=run_id, last_n__gt=after)
    if not any(KINDS[kind].source == "acp" for kind in wanted):
        return iter(()), None
    if worker is not None:
        packs = packs.filter(worker=worker)
    found: list[Numbered] = []
    for count, row in enumerate(packs.order_by("n").values_list("last_n", *PACK_COLUMNS)[:PACKS].iterator(50), 1):
        found += [pair for pair in packed_events(row[1:]) if pair[0] > after and pair[1].kind in wanted]
        if len(found) >= limit or count == PACKS:
            return iter(found), row[0]
    return iter(found), None


def wanted_kinds(names: str) -> frozenset[str]:
    """The kinds meant; all of them by the empty text."""
    asked = [name.strip() for name in names.split(",")] if names else ["*"]
    return frozenset(
        kind for kind in KINDS for name in asked if kind == name or (name.endswith("*") and kind.startswith(name[:-1]))
    )


def shown(n: int, event: Event, known: dict[str, int]) -> dict[str, Any]:
    """An event as the API, the command and the evidence page show it; its worker by the roster where the source named a login."""
    said = None if event.said_at is None else iso(event.said_at)
    head = {"n": n, "at": iso(event.at), "kind": event.kind, "actor": event.actor, "said_at": said}
    head["worker"] = known.get(event.actor or "") if event.worker is None else event.worker
    place = {"source": event.source, "seq": event.seq, "id": event.id, "part": event.part, "ref": event.ref}
    return {**head, **place, "fields": dict(event.fields)}
