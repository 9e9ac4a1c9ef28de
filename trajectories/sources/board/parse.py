"""Log entries of the board as events, one each. Pure and total. The author is a name; the fold finds its worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import Event
from trajectories.sources.base import Parsed, RawDelivery, Skipped

#: op of an entry -> kind of event, and its fields with the types they may have.
_TEXT, _COUNT = (str,), (int,)
_OPS: dict[str, tuple[str, dict[str, tuple[type, ...]]]] = {
    "note": ("note.posted", {"note": _COUNT, "type": _TEXT, "text": _TEXT}),
    "refused": ("note.refused", {"reason": _TEXT}),
    "read": ("notes.read", {"via": _TEXT, "upto": _COUNT, "added": _COUNT}),
    "unfold": ("note.unfolded", {"note": _COUNT}),
}
_MORE: dict[str, tuple[str, ...]] = {
    "note": ("detail", "delegation_id"),
    "refused": ("type", "text"),
    "read": ("query",),
    "unfold": (),
}


def parse(delivery: RawDelivery) -> Parsed:
    """The one event of a log entry, or why there is none."""
    body = delivery.body
    if not isinstance(body, Mapping):
        return Skipped("the body is no object")
    op, author = body.get("op"), body.get("worker")
    if not isinstance(op, str) or op not in _OPS:
        return Skipped(f"no log entry is named {str(op)[:60]!r}")
    if not isinstance(author, str) or not author:
        return Skipped("the entry names no worker")
    kind, needed = _OPS[op]
    fields: dict[str, Any] = {}
    for name, types in needed.items():
        value = body.get(name)
        if not isinstance(value, types) or isinstance(value, bool):
            return Skipped(f"{op}: {name} is missing or of another type")
        fields[name] = value
    for name in _MORE[op]:
        value = body.get(name)
        fields[name] = value if isinstance(value, str) else None
    return [
        Event(
            at=delivery.at,
            source="board",
            seq=delivery.seq,
            id=delivery.id,
            part=0,
            kind=kind,
            actor=author,
            fields=fields,
        )
    ]
