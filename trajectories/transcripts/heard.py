"""The events of one worker that a transcript is counted from, in canonical order."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import chain

from django.db.models import Max

from trajectories.events import RANKS, Event, order_key
from trajectories.models import EventRow, Pack
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


def ends(run_id: int, worker: int) -> dict[int, int]:
    """The last item that was heard of each life."""
    found: dict[int, int] = {}
    packs = Pack.objects.filter(run_id=run_id, worker=worker).order_by().values_list("life")
    rows = EventRow.objects.filter(run_id=run_id, rank=RANKS["acp"], worker=worker).values_list("key", "seq")
    singles = ((int(key.split("-")[1]), seq) for key, seq in rows)
    for life, last in chain(packs.annotate(Max("last_item")), singles):
        found[life] = max(found.get(life, 0), last)
    return found


def moved(run_id: int, worker: int, until: int | None = None) -> Iterator[Event]:
    """The worker's `inbox.moved` events, up to `until` (ms)."""
    return (event for _, event in told_by(run_id, worker, until=until) if event.kind == "inbox.moved")
