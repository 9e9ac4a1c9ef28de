"""Any moment of a run: the State at T, the changes after c, the events after n."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from trajectories.derive import changelog, keyframes
from trajectories.events import Event, iso
from trajectories.live import records
from trajectories.models import Change as ChangeRow
from trajectories.models import EventRow, Stream
from trajectories.models.reading import COLUMNS, to_event
from trajectories.models.roster import roster
from trajectories.reducers import RULES_VERSION, TABLES, Fold, rows_hash
from trajectories.reducers.hashing import order_of


class NoSuchTable(KeyError):
    """A table that the State does not have."""


def moment(stream: Stream, seconds: float) -> int:
    """Seconds since run.started as ms since the epoch; before the clock started, since the first event."""
    zero = stream.t0
    if zero is None:
        zero = EventRow.objects.filter(run_id=stream.run_id).order_by("at").values_list("at", flat=True).first() or 0
    return zero + round(seconds * 1000)


def state_at(stream: Stream, at: int) -> Fold:
    """The fold of all events with time <= `at`, then of the timers due."""
    trail, _ = keyframes.trail(stream.run_id, stream.generation, stream.n, at)
    trail.fold.advance(at)
    return trail.fold


def state(run_id: int, seconds: float | None = None, table: str | None = None) -> dict[str, Any]:
    """What the API and `run_state` answer. Without `seconds`: the tables as of change `c`, to follow live from there.

    Raises NoSuchTable.
    """
    if table is not None and table not in TABLES:
        raise NoSuchTable(table)
    stream = Stream.of(run_id)
    tables: Any
    if seconds is None:
        tables, at, c = changelog.tables_at(run_id, stream.generation, stream.c), None, stream.c
    else:
        at = moment(stream, seconds)
        tables, c = state_at(stream, at).tables, _last_change(stream, at)
    names = sorted(TABLES) if table is None else [table]
    shown = {name: {str(key): row for key, row in sorted(tables[name].items(), key=_order)} for name in names}
    answer = {"hash": rows_hash(tables), "rules_version": RULES_VERSION, "tables": shown}
    place = {"generation": stream.generation, "c": c, "n": stream.n, "at": at, "t0": stream.t0}
    return {**answer, **place, "settled": stream.settled}


def changes(run_id: int, after: int, limit: int) -> str:
    """`{"generation","last","changes"}` as JSON text: records are sent as they are stored."""
    stream = Stream.of(run_id)
    upto = min(stream.c, after + limit)
    found = ",".join(map(records.text, records.between(run_id, stream.generation, after, upto)))
    return f'{{"generation":{stream.generation},"last":{stream.c},"n":{stream.n},"changes":[{found}]}}'


def events(run_id: int, after: int, limit: int, kind: str = "", worker: int | None = None) -> list[dict[str, Any]]:
    """Events after arrival number `after`; `kind` may end in `*` and name several, separated by commas."""
    known = roster(run_id)
    found = EventRow.objects.filter(run_id=run_id, n__gt=after)
    if worker is not None:
        found = found.filter(
            Q(worker=worker) | Q(actor__in=[name for name, number in known.items() if number == worker])
        )
    if kind:
        found = found.filter(_kinds(kind))
    rows = found.order_by("n").values_list(*COLUMNS)[:limit]
    return [shown(row[-1], to_event(row), known) for row in rows]


def page(run_id: int, after: int, limit: int, kind: str, worker: int | None) -> tuple[int, list[dict[str, Any]]]:
    """(n to go on after, events). Everything up to that number was looked at, whatever the filter let through."""
    newest = Stream.of(run_id).n
    rows = events(run_id, after, limit, kind, worker)
    return (rows[-1]["n"] if len(rows) == limit else max(newest, after)), rows


def _last_change(stream: Stream, at: int) -> int | None:
    """In a settled log the prefix that makes the State at `at`; a live log has no such prefix."""
    if not stream.settled:
        return None
    found = ChangeRow.objects.filter(run_id=stream.run_id, generation=stream.generation, at__lte=at)
    return found.order_by("-c").values_list("c", flat=True).first() or 0


def shown(n: int, event: Event, known: dict[str, int]) -> dict[str, Any]:
    """An event as the API, the command and the evidence page show it; its worker by the roster where the source named a login."""
    said = None if event.said_at is None else iso(event.said_at)
    head = {"n": n, "at": iso(event.at), "kind": event.kind, "actor": event.actor, "said_at": said}
    head["worker"] = known.get(event.actor or "") if event.worker is None else event.worker
    place = {"source": event.source, "seq": event.seq, "id": event.id, "part": event.part, "ref": event.ref}
    return {**head, **place, "fields": dict(event.fields)}


def _kinds(names: str) -> Q:
    asked = Q()
    for name in names.split(","):
        name = name.strip()
        asked |= Q(kind__startswith=name[:-1]) if name.endswith("*") else Q(kind=name)
    return asked


def _order(item: tuple[Any, Any]) -> tuple[bool, int, str]:
    return order_of(item[0])
