"""The events of one worker that a transcript is counted from, in canonical order."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q

from trajectories.events import Event
from trajectories.models.reading import canonical

COUNTED = (
    *("session.opened", "turn.started", "turn.finished", "nudge.sent", "reminder.sent", "plan.changed"),
    *("step.started", "step.finished", "text.written", "usage.reported", "inbox.moved", "permission.asked"),
    "request.metered",
)


def heard(run_id: int, worker: int, until: int | None = None, kinds: tuple[str, ...] = COUNTED) -> Iterator[Event]:
    """What the worker's own tap and the gateway said of it, up to `until` (ms)."""
    asked = Q(worker=worker, source__in=["acp", "gateway"], kind__in=kinds)
    if until is not None:
        asked &= Q(at__lte=until)
    return (event for _, event in canonical(run_id, asked))
