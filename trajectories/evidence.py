"""Evidence: from a reference to the raw delivery behind it and the events it gave."""

from __future__ import annotations

import json
from typing import Any

from trajectories.events import iso
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.listed import shown
from trajectories.models import Delivery, EventRow, Pack
from trajectories.models.packed import COLUMNS as PACK_COLUMNS
from trajectories.models.packed import Numbered, packed_events
from trajectories.models.packing import unpack
from trajectories.models.reading import COLUMNS, to_event
from trajectories.models.roster import roster


def evidence(run_id: int, source: str, id: str) -> dict[str, Any] | None:
    """`{"delivery", "events"}`; None if there is none. An ACP id names an item; the batch that holds it is found.

    A part (`#2`) is cut off. `body` is the value as it is read, or `raw` the text where it cannot be read.
    """
    id = id.partition("#")[0]
    delivery = Delivery.objects.filter(run_id=run_id, source=source, delivery=id).first()
    if delivery is None and source == "acp":
        delivery = _batch_of(run_id, id)
    if delivery is None:
        return None
    body = unpack(delivery.body)
    told = _delivery(delivery, body)
    found = EventRow.objects.filter(run_id=run_id, source=source).order_by("n")
    if source == "acp":
        head, items = id.rpartition("-")[0], _items(told.get("body"))
        found, packed = found.filter(key__in=[f"{head}-{n}" for n in items]), _packed(run_id, head, set(items))
    else:
        found, packed = found.filter(key=delivery.delivery), []
    known = roster(run_id)
    numbered = sorted([*((row[-1], to_event(row)) for row in found.values_list(*COLUMNS)), *packed], key=lambda p: p[0])
    return {"delivery": told, "events": [shown(n, event, known) for n, event in numbered]}


def _packed(run_id: int, head: str, items: set[int]) -> list[Numbered]:
    """The events of these items of one life of a worker that are in packs."""
    worker, _, life = head.partition("-")
    if not items or not worker.isdigit() or not life.isdigit():
        return []
    mine = Pack.objects.filter(run_id=run_id, worker=int(worker), life=int(life))
    rows = mine.filter(item__lte=max(items), last_item__gte=min(items)).values_list(*PACK_COLUMNS)
    return [pair for row in rows for pair in packed_events(row) if pair[1].seq in items]


def _delivery(row: Delivery, body: bytes) -> dict[str, Any]:
    told: dict[str, Any] = {"source": row.source, "id": row.delivery, "seq": row.seq, "at": iso(row.at)}
    told |= {"received_at": iso(row.received_at), "skew_ms": row.skew_ms, "headers": json.loads(row.headers)}
    told |= {"bytes": row.bytes, "skipped": row.skipped or None}
    try:
        return {**told, "body": read(body)}
    except Unreadable:
        return {**told, "raw": body[:65_536].decode("utf-8", "backslashreplace")}


def _batch_of(run_id: int, id: str) -> Delivery | None:
    """The batch of an item: the last one that begins at or before it, if it really holds it."""
    head, _, number = id.rpartition("-")
    if not head or not number.isdigit() or len(number) > 18:
        return None
    mine = Delivery.objects.filter(run_id=run_id, source="acp", delivery__startswith=f"{head}-", seq__lte=int(number))
    for row in mine.order_by("-seq")[:5]:
        try:
            if int(number) in _items(read(unpack(row.body))):
                return row
        except Unreadable:
            continue
    return None


def _items(body: Any) -> list[int]:
    items = body.get("items") if isinstance(body, dict) else None
    return [item["n"] for item in items or [] if isinstance(item, dict) and type(item.get("n")) is int]
