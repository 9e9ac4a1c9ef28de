"""One path for every door: dedupe, fix times, parse, number, write. Nothing a source sends can lose the delivery."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import connection, transaction

from trajectories.ingest import bulk, counters, hooks
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.prepared import Prepared, parse, prepare
from trajectories.ingest.seen import are_new, unseen
from trajectories.models import Delivery, EventRow, Pack
from trajectories.models.packed import Numbered, apart
from trajectories.models.packing import unpack
from trajectories.models.reading import to_row
from trajectories.sources.base import Skipped

# A transaction stays near 500 rows, so that on SQLite nobody else waits long; an ACP delivery is a row, a pack and a few turns.
DELIVERIES = 200
ACP_BYTES = 500_000
OTHER_BYTES = 4_000_000
_ASKED = 500  # ids in one question
_KNOWN = "SELECT delivery FROM trajectories_delivery WHERE run_id = %s AND source = %s AND delivery IN"
Some = TypeVar("Some", Incoming, Prepared)


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
    """Store what is new. `fixed` = times were fixed before, so no order rule is applied again.

    The envelopes are sound (`incoming.fault` was asked). Safe to call again with the same deliveries, from anywhere.
    """
    total = Stored()
    for piece in _pieces(deliveries, DELIVERIES, ACP_BYTES if source == "acp" else OTHER_BYTES):
        with transaction.atomic():
            n = counters.locked(run_id)
            new = _new(run_id, source, piece)
            if source == "gitea" and not fixed:
                hooks.keep_order(run_id, new)
            done = _write(run_id, source, n, [prepare(source, each) for each in new])
            done.duplicates = len(piece) - len(new)
            total.add(done)
    return total


def store_unheard(run_id: int, batch: Incoming) -> None:
    """Store an ACP batch inside the present transaction; the spool's ranges say that no other batch brought any of its items."""
    n = counters.locked(run_id)
    _write(run_id, "acp", n, [prepare("acp", each) for each in _new(run_id, "acp", [batch])], unheard=True)


def store_prepared(run_id: int, source: str, deliveries: Sequence[Prepared]) -> Stored:
    """The same for what a bundle holds: times were fixed before, so no order rule is applied again. One transaction."""
    with transaction.atomic():
        n = counters.locked(run_id)
        new = _new(run_id, source, deliveries)
        done = _write(run_id, source, n, new)
        done.duplicates = len(deliveries) - len(new)
    return done


def write(run_id: int, events: Iterable[Numbered]) -> None:
    """Write numbered events, each as a row or into a pack."""
    packs, single = apart(run_id, events)
    bulk.insert(Pack, packs)
    bulk.insert(EventRow, [to_row(run_id, n, event) for n, event in single])


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


def _new(run_id: int, source: str, deliveries: Sequence[Some]) -> list[Some]:
    """Those that are not stored yet; of several copies the first."""
    ids = {delivery.id: delivery for delivery in reversed(deliveries)}
    asked = list(ids)
    known: set[str] = set()
    with connection.cursor() as cursor:  # past the ORM: its making of the query takes longer than the query
        for start in range(0, len(asked), _ASKED):
            some: list[str] = asked[start : start + _ASKED]
            cursor.execute(f"{_KNOWN} ({', '.join(['%s'] * len(some))})", [run_id, source, *some])
            known.update(row[0] for row in cursor.fetchall())
    return [delivery for delivery in deliveries if delivery.id not in known and ids[delivery.id] is delivery]


def _write(run_id: int, source: str, n: int, new: Sequence[Prepared], unheard: bool = False) -> Stored:
    """Number and write deliveries that are new, the first event after number `n`."""
    if not new:
        return Stored()
    done = Stored(len(new), skipped=sum(1 for each in new if each.skipped))
    bulk.insert(
        Delivery,
        [
            (run_id, source, d.id, d.seq, d.at, d.received_at, d.skew_ms, d.headers, d.body, d.size, d.skipped)
            for d in new
        ],
    )
    # Only ACP batches of a strange bundle can hold an item that another batch brought before.
    if source == "acp" and not unheard and not are_new(run_id, new):
        told = [parse(source, _again(each)) for each in new if each.events]
        events = unseen(run_id, [each for each in told if not isinstance(each, Skipped)])
        write(run_id, enumerate(events, n + 1))
        done.events = len(events)
    else:
        packs, rows = [], []
        for each in new:
            first = n + done.events + 1
            packs += [(run_id, first + row[1], first + row[2], *row[3:]) for row in each.packs]
            rows += [(run_id, first + row[1], *row[2:]) for row in each.rows]
            done.events += each.events
        bulk.insert(Pack, packs)
        bulk.insert(EventRow, rows)
    if done.events:
        counters.moved(run_id, n + done.events)
    counters.note(run_id, source, max(delivery.at for delivery in new), done.new, done.skipped)
    return done


def _again(d: Prepared) -> Incoming:
    return Incoming(d.id, d.seq, d.at, d.received_at, unpack(d.body), json.loads(d.headers), d.skew_ms)
