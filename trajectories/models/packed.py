"""Step events to packs and back. A pack holds what one ACP batch says that is only ever summed; everything else is a row.

Its body is `G`, u32 length, zstd JSON of its glance (`glances.py`), zstd JSON of its rows. One from before glances were is the rows alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import accumulate
from operator import add
from typing import Any

import orjson

from trajectories.events import TALLIES, Event, reference
from trajectories.models.glances import Whole, glance
from trajectories.models.packing import pack, unpack

Numbered = tuple[int, Event]
COLUMNS = ("n", "worker", "life", "body")
_HEAD = struct.Struct("<cI")
_MARK = b"G"
MOST = 500  # events in a pack: what one look at a step has to read
_WORKERS, _LIVES, _ITEMS, _LATEST = 65_535, 2**31 - 1, 2**53, 253_402_300_799_999


def head_of(event: Event) -> str:
    """`{worker}-{life}-` of an event that goes into a pack, since all of it is in (at, item, part, kind, fields) beside these; else "" """
    if event.source != "acp" or event.kind not in TALLIES or event.actor is not None or event.said_at is not None:
        return ""
    worker, _, rest = event.id.partition("-")
    life = rest.partition("-")[0]
    sound = type(event.worker) is int and 0 < event.worker <= _WORKERS and life.isdigit() and int(life) <= _LIVES
    sound = sound and 0 <= event.at <= _LATEST and 0 < event.seq < _ITEMS
    head = f"{worker}-{life}-"
    return head if sound and event.id == f"{head}{event.seq}" and worker == str(event.worker) else ""


def apart(run_id: int, events: Iterable[Numbered]) -> tuple[list[tuple[Any, ...]], list[Numbered]]:
    """Numbered events as (values of `bulk.PACK`, those that become rows); a worker's life to a pack, in order of number."""
    packs: list[tuple[Any, ...]] = []
    single: list[Numbered] = []
    told: list[list[Any]] = []
    head, mine, first = "", 0, 0
    for n, event in events:
        at, source, item, id, part, kind, worker, actor, said, fields = event
        alike = source == "acp" and kind in TALLIES and worker == mine and actor is None and said is None
        # The cheap look holds for every event of a batch but its first: whoever packed that one was looked at closely.
        if not (alike and head and id == f"{head}{item}" and 0 <= at <= _LATEST and 0 < item < _ITEMS):
            other = head_of(event)
            if not other:
                single.append((n, event))
                continue
            if other != head and told:
                packs.append(_row(run_id, head, mine, first, told))
                told = []
            head, mine = other, worker or 0
        if len(told) == MOST:
            packs.append(_row(run_id, head, mine, first, told))
            told = []
        if not told:
            first = n
        told.append([n - first, at, item, part, kind, fields if type(fields) is dict else dict(fields)])
    if told:
        packs.append(_row(run_id, head, mine, first, told))
    return packs, single


def apart_batch(events: list[Event]) -> tuple[list[tuple[Any, ...]], list[Numbered]]:
    """`apart` of what one ACP batch says, for run 0 and numbered from 0: all of it has the head of its first event."""
    tally = next((event for event in events if event[5] in TALLIES), None)
    times, items = [event[0] for event in events], [event[2] for event in events]
    sound = min(times) >= 0 and max(times) <= _LATEST and min(items) > 0 and max(items) < _ITEMS
    head = head_of(tally) if tally is not None and sound else ""
    if not head or tally is None:
        return apart(0, enumerate(events))
    told: list[list[Any]] = [[n, e[0], e[2], e[4], e[5], e[9]] for n, e in enumerate(events) if e[5] in TALLIES]
    single = (
        [(n, event) for n, event in enumerate(events) if event[5] not in TALLIES] if len(told) < len(events) else []
    )
    packs = []
    for start in range(0, len(told), MOST):
        piece = told[start : start + MOST]
        if first := piece[0][0]:
            for each in piece:
                each[0] -= first
        packs.append(_row(0, head, tally[6] or 0, first, piece))
    return packs, single


def _row(run_id: int, head: str, worker: int, first: int, told: list[list[Any]]) -> tuple[Any, ...]:
    times, items = [each[1] for each in told], [each[2] for each in told]
    brief = pack(orjson.dumps(glance(told), option=orjson.OPT_NON_STR_KEYS))
    rows = pack(orjson.dumps(told, option=orjson.OPT_NON_STR_KEYS))
    body = _HEAD.pack(_MARK, len(brief)) + brief + rows
    place = (run_id, first, first + told[-1][0], min(times), max(times), worker, int(head.split("-")[1]))
    return (*place, min(items), max(items), len(told), body)


def packed_events(row: tuple[Any, ...]) -> list[Numbered]:
    """(n, event) of a pack, from the values of COLUMNS, in order of arrival."""
    first, worker, life, body = row
    return _events(first, worker, life, orjson.loads(rows_of(body)))


def rows_of(body: bytes | memoryview) -> bytes:
    """JSON `[[n - first n, at, item, part, kind, fields], ..]` of a pack's body."""
    return unpack(_parts(body)[1])


def at_a_glance(row: tuple[Any, ...]) -> tuple[Whole, list[Numbered]]:
    """The whole steps of a pack, from the values of COLUMNS, and its other events."""
    first, worker, life, body = row
    brief, rows = _parts(body)
    told = orjson.loads(unpack(brief)) if brief else glance(orjson.loads(unpack(rows)))
    steps, later, spans, further, failed, rest = told
    began, places = list(accumulate(later)), accumulate(further)
    ended = list(map(add, began, spans))
    head = f"{worker}-{life}-"
    faults = [(place, reference("acp", f"{head}{item}", part), fields) for place, item, part, fields in failed]
    whole = Whole(worker, life, steps, began, ended, [first + place for place in places], faults)
    return whole, _events(first, worker, life, rest)


def _parts(body: bytes | memoryview) -> tuple[bytes, bytes]:
    """The glance, empty in an old pack, and the rows; both compressed."""
    body = bytes(body)
    if body[:1] != _MARK:
        return b"", body
    end = _HEAD.size + _HEAD.unpack_from(body)[1]
    return body[_HEAD.size : end], body[end:]


def _events(first: int, worker: int, life: int, told: list[list[Any]]) -> list[Numbered]:
    head, new = f"{worker}-{life}-", tuple.__new__  # values known to be all there need no check of their number
    return [
        (first + d, new(Event, (at, "acp", item, f"{head}{item}", part, kind, worker, None, None, fields)))
        for d, at, item, part, kind, fields in told
    ]
