"""A delivery at the door: raw bytes with the envelope that its source's door gave it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trajectories.ingest.jsontext import write
from trajectories.sources.base import RawDelivery

ID = re.compile(r"[A-Za-z0-9._~@-]{1,160}")
LATEST = 253_402_300_799_999  # the last millisecond of the year 9999
_SEQ = 2**63


@dataclass(slots=True)
class Incoming:
    """What will become a Delivery row. `raw` is the body's JSON text as it came; `value` is its reading, if already done."""

    id: str
    seq: int
    at: int
    received_at: int
    raw: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    skew_ms: int = 0
    value: Any = None


def incoming(delivery: RawDelivery) -> Incoming:
    """A pulled delivery, its body as text again: every door then reads it the same way."""
    d = delivery
    return Incoming(d.id, d.seq, d.at, d.received_at, write(d.body), dict(d.headers), d.skew_ms)


def fault(delivery: Incoming) -> str | None:
    """Why an envelope cannot be stored, or None."""
    if not isinstance(delivery.id, str) or not ID.fullmatch(delivery.id):
        return "id must match [A-Za-z0-9._~@-]{1,160}"
    if type(delivery.seq) is not int or not -_SEQ <= delivery.seq < _SEQ:
        return "seq must be an integer of 64 bits"
    if type(delivery.skew_ms) is not int or abs(delivery.skew_ms) > LATEST:
        return "skew_ms must be an integer of milliseconds"
    for name, moment in (("at", delivery.at), ("received_at", delivery.received_at)):
        if type(moment) is not int or not 0 <= moment <= LATEST:
            return f"{name} must be a time between 1970 and 9999"
    return None
