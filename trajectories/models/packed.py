"""Step events to packs and back. A pack holds what one ACP batch says that is only ever summed; everything else is a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from trajectories.events import Event, is_tally
from trajectories.models.packing import pack, unpack

Numbered = tuple[int, Event]
COLUMNS = ("n", "worker", "life", "body")
MOST = 500  # events in a pack: what one look at a step has to read
_WORKERS, _LIVES, _ITEMS, _LATEST = 65_535, 2**31 - 1, 2**53, 253_402_300_799_999


def is_packed(event: Event) -> bool:
    """True for an event that goes into a pack: all of it is in (at, item, part, kind, fields) beside its worker and life."""
    if event.source != "acp" or not is_tally(event.kind) or event.actor is not None or event.said_at is not None:
        return False
    worker, _, rest = event.id.partition("-")
    life = rest.partition("-")[0]
    sound = type(event.worker) is int and 0 < event.worker <= _WORKERS and life.isdigit() and int(life) <= _LIVES
    sound = sound and 0 <= event.at <= _LATEST and 0 < event.seq < _ITEMS
    return sound and event.id == f"{event.worker}-{life}-{event.seq}" and worker == str(event.worker)


def pack_rows(run_id: int, events: Sequence[Numbered]) -> Iterator[tuple[Any, ...]]:
    """The values of `bulk.PACK` for packed events in order of number; a worker's life to a pack."""
    found: list[Numbered] = []
    head = ""
    for n, event in events:
        mine = event.id[: event.id.rindex("-")]
        if found and (mine != head or len(found) == MOST):
            yield _row(run_id, found)
            found = []
        head = mine
        found.append((n, event))
    if found:
        yield _row(run_id, found)


def _row(run_id: int, events: Sequence[Numbered]) -> tuple[Any, ...]:
    first, event = events[0]
    told = [[n - first, e.at, e.seq, e.part, e.kind, dict(e.fields)] for n, e in events]
    times, items = [each[1] for each in told], [each[2] for each in told]
    life = int(event.id.split("-")[1])
    body = pack(orjson.dumps(told, option=orjson.OPT_NON_STR_KEYS))
    place = (run_id, first, events[-1][0], min(times), max(times), event.worker, life, min(items), max(items))
    return (*place, len(told), body)


def packed_events(row: tuple[Any, ...]) -> Iterator[Numbered]:
    """(n, event) of a pack, from the values of COLUMNS, in order of arrival."""
    first, worker, life, body = row
    head = f"{worker}-{life}-"
    for d, at, item, part, kind, fields in orjson.loads(unpack(body)):
        yield first + d, Event(at, "acp", item, f"{head}{item}", part, kind, worker, None, None, fields)
