"""Run events as events: body `{n, at, kind, fields}`, one event each; `fields.worker` is the envelope's worker. Pure and total."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import KINDS, Event
from trajectories.sources.base import Parsed, RawDelivery, Skipped


def parse(delivery: RawDelivery) -> Parsed:
    """The one event of a run delivery, or why there is none."""
    body = delivery.body
    if not isinstance(body, Mapping):
        return Skipped("the body is no object")
    kind, fields = body.get("kind"), body.get("fields", {})
    if not isinstance(kind, str) or kind not in KINDS or KINDS[kind].source != "run":
        return Skipped(f"no run event is named {str(kind)[:60]!r}")
    if not isinstance(fields, Mapping):
        return Skipped("fields is no object")
    said: dict[str, Any] = {str(key): value for key, value in fields.items() if key != "worker"}
    worker = fields.get("worker")
    if kind.startswith(("worker.", "usage.")) and not _is_worker(worker):
        return Skipped("the worker is missing or no positive number")
    return [
        Event(
            at=delivery.at,
            source="run",
            seq=delivery.seq,
            id=delivery.id,
            part=0,
            kind=kind,
            worker=worker if _is_worker(worker) else None,
            fields=said,
        )
    ]


def _is_worker(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 65_535
