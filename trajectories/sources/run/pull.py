"""Reading the outbox `runs_runevent` on from a cursor: the highest `n` read."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from trajectories.events import iso
from trajectories.sources.base import Pulled, RawDelivery

PAGE = 500


def pull(endpoints: Mapping[str, Any], cursor: Any) -> Pulled:
    """The next page of run events. Rows are written under the run's row lock with a dense `n`, so none appears behind the cursor."""
    from runs.models import RunEvent  # imported here: parse must work without Django

    after = cursor if isinstance(cursor, int) else 0
    rows = list(
        RunEvent.objects.filter(run_id=endpoints["run"]["id"], n__gt=after)
        .order_by("n")
        .values_list("n", "at", "kind", "fields")[:PAGE]
    )
    now = time.time_ns() // 1_000_000
    deliveries = [
        RawDelivery(
            id=str(n),
            seq=n,
            at=at,
            received_at=now,
            body={"n": n, "at": iso(at), "kind": kind, "fields": fields},
        )
        for n, at, kind, fields in rows
    ]
    last = rows[-1][0] if rows else after
    return Pulled(deliveries, last, rows[-1][1] if rows else None, more=len(rows) == PAGE)
