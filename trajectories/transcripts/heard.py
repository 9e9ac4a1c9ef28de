"""The events of one worker that a transcript is counted from, in canonical order."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge

from trajectories.events import RANKS, Event, order_key
from trajectories.models.reading import canonical, told_by

#: A text chunk by chunk is most of what an agent says, and only its length counts here.
COUNTED = frozenset(
    [
        *("session.opened", "turn.started", "turn.finished", "nudge.sent", "reminder.sent", "plan.changed"),
        *("step.started", "step.finished", "text.written", "usage.reported", "inbox.moved", "permission.asked"),
    ]
)


def heard(run_id: int, worker: int, until: int | None = None) -> Iterator[Event]:
    """What the worker's own tap and the gateway said of it, up to `until` (ms)."""
    asked = {"worker": worker, "kind": "request.metered", "rank": RANKS["gateway"]}
    if until is not None:
        asked["at__lte"] = until
    metered = (event for _, event in canonical(run_id, **asked))  # type: ignore[arg-type]
    told = (event for _, event in told_by(run_id, worker, until=until) if event.kind in COUNTED)
    return merge(metered, told, key=order_key)


def moved(run_id: int, worker: int, until: int | None = None) -> Iterator[Event]:
    """The worker's `inbox.moved` events, up to `until` (ms)."""
    return (event for _, event in told_by(run_id, worker, until=until) if event.kind == "inbox.moved")
