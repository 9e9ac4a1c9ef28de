"""Ingest: deliveries a second through the one path, beside the same rows written with no path at all."""

from __future__ import annotations

import time
from typing import Any

from django.db import connection, transaction

from trajectories.bench.scratch import notes, scratch_run
from trajectories.ingest import bulk
from trajectories.ingest.prepared import parse
from trajectories.ingest.store import store
from trajectories.models import Delivery, EventRow
from trajectories.models.packing import pack
from trajectories.models.reading import to_row
from trajectories.sources.base import Skipped

COUNT, BATCH = 20_000, 200


def ingest() -> dict[str, Any]:
    """`ratio` = our rows/s of the ceiling's: the same delivery and event rows, ready made, in the same transactions."""
    deliveries = notes(COUNT)
    with scratch_run() as run:
        began = time.perf_counter()
        for start in range(0, COUNT, BATCH):
            store(run.pk, "board", deliveries[start : start + BATCH])
        ours = time.perf_counter() - began
        began = time.perf_counter()
        for start in range(0, COUNT, BATCH):
            store(run.pk, "board", deliveries[start : start + BATCH])
        again = time.perf_counter() - began
        stored = EventRow.objects.filter(run=run).count()
    ceiling = _ceiling()
    rate = {name: round(COUNT / seconds) for name, seconds in (("ours", ours), ("ceiling", ceiling), ("again", again))}
    told = {"database": connection.vendor, "deliveries": COUNT, "events": stored, "batch": BATCH}
    told |= {"deliveries_per_s": rate["ours"], "ceiling_per_s": rate["ceiling"], "resent_per_s": rate["again"]}
    return {**told, "ratio": round(ceiling / ours, 3)}


def _ceiling() -> float:
    with scratch_run() as run:
        rows, events = [], []
        for n, each in enumerate(notes(COUNT), 1):
            parsed = parse("board", each)
            assert not isinstance(parsed, Skipped)
            head = (run.pk, "board", each.id, each.seq, each.at, each.received_at, 0)
            rows.append((*head, "{}", pack(each.raw), len(each.raw), ""))
            events.append(to_row(run.pk, n, parsed[0]))
        began = time.perf_counter()
        for start in range(0, COUNT, BATCH):
            with transaction.atomic():
                bulk.insert(Delivery, rows[start : start + BATCH])
                bulk.insert(EventRow, events[start : start + BATCH])
        return time.perf_counter() - began
