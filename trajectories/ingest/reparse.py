"""Parse a run's stored deliveries again: for the day a parser learns to read more. Event numbers are given anew."""

from __future__ import annotations

import json

from django.db import transaction

from trajectories.ingest.incoming import Incoming
from trajectories.ingest.prepared import parse
from trajectories.ingest.store import write
from trajectories.models import Delivery, EventRow, Pack, Reach, SearchPart, Stream
from trajectories.models.packing import unpack
from trajectories.sources.base import Skipped

COLUMNS = ("source", "delivery", "seq", "at", "received_at", "body", "headers", "skew_ms")


def reparse(run_id: int) -> int:
    """Replace all events by what the parsers say today; returns how many. One transaction: nobody sees half of it."""
    with transaction.atomic():
        Stream.objects.select_for_update().get_or_create(run_id=run_id)
        for model in (EventRow, Pack, SearchPart, Reach):
            model.objects.filter(run_id=run_id).delete()
        n, reasons = 0, []
        seen: set[tuple[str, str, int]] = set()
        rows = Delivery.objects.filter(run_id=run_id).order_by("received_at", "source", "seq").values_list(*COLUMNS)
        for source, id, seq, at, received_at, body, headers, skew in rows.iterator(500):
            parsed = parse(source, Incoming(id, seq, at, received_at, unpack(body), json.loads(headers), skew))
            reasons.append((source, id, parsed.reason[:300] if isinstance(parsed, Skipped) else ""))
            events = [] if isinstance(parsed, Skipped) else [e for e in parsed if (source, e.id, e.part) not in seen]
            seen.update((source, event.id, event.part) for event in events)
            write(run_id, list(enumerate(events, n + 1)))
            n += len(events)
        for source, id, reason in reasons:
            Delivery.objects.filter(run_id=run_id, source=source, delivery=id).exclude(skipped=reason).update(
                skipped=reason
            )
        # settled_n says for which events the log is final: none of them any more.
        Stream.objects.filter(run_id=run_id).update(n=n, settled_n=0)
    return n
