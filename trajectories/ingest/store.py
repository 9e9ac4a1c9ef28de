"""One path for every door: dedupe, fix times, parse, number, write. Nothing a source sends can lose the delivery."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from django.db import transaction

from trajectories.events import KINDS, Event
from trajectories.ingest import bulk, hooks
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.ingest.seen import unseen
from trajectories.models import Delivery, EventRow, Feed, Pack, Stream
from trajectories.models.packed import Numbered, apart
from trajectories.models.packing import pack
from trajectories.models.reading import to_row
from trajectories.sources import source as source_module
from trajectories.sources.base import Parsed, RawDelivery, Skipped

logger = logging.getLogger(__name__)
# A transaction stays near 500 rows, so that on SQLite nobody else waits long; an ACP delivery is a row, a pack and a few turns.
DELIVERIES = 200
ACP_BYTES = 500_000
OTHER_BYTES = 4_000_000
IMPORTED = (1_000, 4_000_000)  # deliveries and bytes at once of a run that nobody is watching yet


@dataclass(slots=True)
class Stored:
    """What became of what was handed in."""

    new: int = 0
    duplicates: int = 0
    events: int = 0
    skipped: int = 0

    def add(self, other: Stored) -> None:
        """Sum up."""
        self.new += other.new
        self.duplicates += other.duplicates
        self.events += other.events
        self.skipped += other.skipped


def store(run_id: int, source: str, deliveries: Sequence[Incoming], *, fixed: bool = False) -> Stored:
    """Store what is new. `fixed` = times were fixed before (a bundle), so no order rule is applied again.

    The envelopes are sound (`incoming.fault` was asked). Safe to call again with the same deliveries, from anywhere.
    """
    total = Stored()
    limits = IMPORTED if fixed else (DELIVERIES, ACP_BYTES if source == "acp" else OTHER_BYTES)
    for piece in _pieces(deliveries, *limits):
        with transaction.atomic():
            total.add(_store(run_id, source, piece, fixed))
    return total


def _pieces(deliveries: Sequence[Incoming], most: int, limit: int) -> Iterator[list[Incoming]]:
    piece: list[Incoming] = []
    size = 0
    for delivery in deliveries:
        if piece and (len(piece) == most or size + len(delivery.raw) > limit):
            yield piece
            piece, size = [], 0
        piece.append(delivery)
        size += len(delivery.raw)
    if piece:
        yield piece


def _store(run_id: int, source: str, deliveries: Sequence[Incoming], fixed: bool) -> Stored:
    stream = Stream.objects.select_for_update().get_or_create(run_id=run_id)[0]
    ids = {delivery.id: delivery for delivery in reversed(deliveries)}  # the first copy wins
    known = set(
        Delivery.objects.filter(run_id=run_id, source=source, delivery__in=list(ids)).values_list("delivery", flat=True)
    )
    new = [delivery for delivery in deliveries if delivery.id not in known and ids[delivery.id] is delivery]
    done = Stored(new=len(new), duplicates=len(deliveries) - len(new))
    if not new:
        return done
    if source == "gitea" and not fixed:
        hooks.keep_order(run_id, new)
    rows: list[tuple[object, ...]] = []
    found: list[list[Event]] = []
    for delivery in new:
        parsed = parse(source, delivery)
        reason = parsed.reason[:300] if isinstance(parsed, Skipped) else ""
        if isinstance(parsed, Skipped):
            done.skipped += 1
        else:
            found.append(parsed)
        head = (run_id, source, delivery.id, delivery.seq, delivery.at, delivery.received_at, delivery.skew_ms)
        headers = orjson.dumps(dict(delivery.headers)).decode() if delivery.headers else "{}"
        rows.append((*head, headers, pack(delivery.raw), len(delivery.raw), reason))
    # Only ACP batches of a strange bundle can hold an item that another batch brought before.
    events = unseen(run_id, found) if source == "acp" else [event for each in found for event in each]
    done.events = len(events)
    bulk.insert(Delivery, rows)
    write(run_id, enumerate(events, stream.n + 1))
    if events:
        Stream.objects.filter(run_id=run_id).update(n=stream.n + len(events))
    _note(run_id, source, new, done)
    return done


def write(run_id: int, events: Iterable[Numbered]) -> None:
    """Write numbered events, each as a row or into a pack."""
    packs, single = apart(run_id, events)
    bulk.insert(Pack, packs)
    bulk.insert(EventRow, [to_row(run_id, n, event) for n, event in single])


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


def _note(run_id: int, source: str, new: Sequence[Incoming], done: Stored) -> None:
    feed = Feed.objects.get_or_create(run_id=run_id, source=source)[0]
    feed.newest_at = max(feed.newest_at or 0, max(delivery.at for delivery in new))
    feed.deliveries += done.new
    feed.skipped += done.skipped
    feed.save(update_fields=["newest_at", "deliveries", "skipped"])
