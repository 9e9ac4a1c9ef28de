"""A delivery read and parsed as far as that needs no database: what is left is to number it and to write it down.

Pure but for the log, so that an import can have it done in other processes (`bundle/ahead.py`).
"""

from __future__ import annotations

import logging
from operator import itemgetter, lt
from typing import Any, NamedTuple

import orjson

from trajectories.events import KINDS, Event
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.models.packed import apart_batch
from trajectories.models.packing import pack
from trajectories.models.reading import to_row
from trajectories.sources import source as source_module
from trajectories.sources.base import Parsed, RawDelivery, Skipped

logger = logging.getLogger(__name__)
_item = itemgetter(2, 4)  # seq and part of an event


class Items(NamedTuple):
    """Which items of one life of a worker a batch holds. `once`: they rise, so none is there twice; `keys`: ids of those that are rows."""

    head: str
    low: int
    high: int
    once: bool
    keys: list[str]


class Prepared(NamedTuple):
    """Plain values only. `packs` and `rows` are values of `bulk.PACK` and `bulk.EVENT` of run 0, numbered from 0 in their delivery."""

    id: str
    seq: int
    at: int
    received_at: int
    skew_ms: int
    headers: str
    body: bytes
    size: int
    skipped: str
    events: int
    packs: list[tuple[Any, ...]]
    rows: list[tuple[Any, ...]]
    items: tuple[Any, ...] | None  # the values of Items, for a batch that gave events


def prepare(source: str, delivery: Incoming) -> Prepared:
    """Read, parse and compress one delivery."""
    parsed = parse(source, delivery)
    events = [] if isinstance(parsed, Skipped) else parsed
    reason = parsed.reason[:300] if isinstance(parsed, Skipped) else ""
    headers = orjson.dumps(dict(delivery.headers)).decode() if delivery.headers else "{}"
    head = (delivery.id, delivery.seq, delivery.at, delivery.received_at, delivery.skew_ms, headers)
    body = (pack(delivery.raw), len(delivery.raw), reason, len(events))
    if source != "acp" or not events:
        return Prepared(*head, *body, [], [to_row(0, n, event) for n, event in enumerate(events)], None)
    packs, single = apart_batch(events)
    places = [*map(_item, events)]
    once = all(map(lt, places, places[1:]))
    low, high = (places[0][0], places[-1][0]) if once else (min(places)[0], max(places)[0])
    items = Items(events[0].id.rpartition("-")[0], low, high, once, [event.id for _, event in single])
    return Prepared(*head, *body, packs, [to_row(0, n, event) for n, event in single], tuple(items))


def parse(source: str, delivery: Incoming) -> Parsed:
    """Read and parse one delivery. Total: whatever goes wrong is a reason, and is logged when it is our fault."""
    module = source_module(source)  # a source that cannot be imported is our fault, never the delivery's
    try:
        body = read(delivery.raw) if delivery.value is None else delivery.value
    except Unreadable as problem:
        return Skipped(str(problem))
    raw = RawDelivery(
        delivery.id, delivery.seq, delivery.at, delivery.received_at, body, delivery.headers, delivery.skew_ms
    )
    try:
        parsed = module.parse(raw)
        if isinstance(parsed, Skipped):
            return Skipped(parsed.reason or "nothing to keep")
        return _sound(parsed, source, delivery.id) or Skipped("no events")
    except Exception as problem:  # a parser must be total; if it is not, the delivery is still kept
        logger.exception("parse of %s:%s failed", source, delivery.id)
        return Skipped(f"parse failed: {type(problem).__name__}")


def _sound(events: list[Event], source: str, id: str) -> list[Event]:
    """Those that are the delivery's own: of its source and, where a delivery is a batch, of its worker's life; each part once."""
    if source == "acp":  # numbers, kinds and times are read by its parser alone, and all ids of a batch begin alike
        return events if events and events[0].id.startswith(f"{id.rpartition('-')[0]}-") else []
    own = [
        event
        for event in events
        if event.id == id
        and event.kind in KINDS
        and type(event.at) is type(event.seq) is type(event.part) is int
        and event.source == source
    ]
    first = {event.part: event for event in reversed(own)}
    return [event for event in own if first.get(event.part) is event]
