"""Ledger rows of the gateway as events: the fields of `request.metered` with `n`, `at` and `worker`. Pure and total."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import KINDS, Event
from trajectories.sources.base import Parsed, RawDelivery, Skipped

_FIELDS = KINDS["request.metered"].fields
_COUNTS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost_microusd", "status", "took_ms")
_PURPOSES = ("work", "side", "compaction")


def parse(delivery: RawDelivery) -> Parsed:
    """The one event of a ledger row, or why there is none. A figure that is no whole number is null."""
    body = delivery.body
    if not isinstance(body, Mapping):
        return Skipped("the body is no object")
    worker = body.get("worker")
    if not isinstance(worker, int) or isinstance(worker, bool) or not 0 < worker <= 65_535:
        return Skipped("the worker is missing or no positive number")
    fields: dict[str, Any] = {}
    for name in _FIELDS:
        value = body.get(name)
        if name in _COUNTS:
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
            fields[name] = value if whole else None
        else:
            fields[name] = None if value is None else str(value)[:300]
    if fields["purpose"] not in _PURPOSES:
        fields["purpose"] = "work"
    return [
        Event(
            at=delivery.at,
            source="gateway",
            seq=delivery.seq,
            id=delivery.id,
            part=0,
            kind="request.metered",
            worker=worker,
            fields=fields,
        )
    ]
