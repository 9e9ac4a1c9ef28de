"""Webhooks: a signature is checked over the raw bytes, an empty one is refused; a body is decoded as far as it can be."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any

from trajectories.sources.base import RawDelivery
from trajectories.sources.reading import header

EVENT_TYPE = "X-Gitea-Event-Type"
DELIVERY = "X-Gitea-Delivery"
EVENT_UUID = "X-Agensh-Event-Uuid"
_ID = re.compile(r"[A-Za-z0-9._~@-]{1,160}")


def verify(secret: str | bytes, body: bytes, headers: Mapping[str, str]) -> bool:
    """True if `X-Gitea-Signature` is the bare hex HMAC-SHA256 of the raw body. No secret or no signature is False."""
    key = secret.encode() if isinstance(secret, str) else secret
    given = header(headers, "X-Gitea-Signature") or ""
    if not key or not given:
        return False
    wanted = hmac.new(key, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, given.strip().lower().encode("ascii", "replace").decode())


def hook_delivery(headers: Mapping[str, str], body: bytes, received_at: int, seq: int) -> RawDelivery | None:
    """A webhook as a delivery, for a forge whose outbox cannot be read. None where it names itself in no usable way."""
    id = header(headers, DELIVERY) or ""
    if not _ID.fullmatch(id):
        return None
    kept = {name: value for name in (EVENT_TYPE, DELIVERY) if (value := header(headers, name))}
    text = body.decode("utf-8", "replace")
    return RawDelivery(id, seq, received_at, received_at, decoded(text), kept)


def decoded(text: str) -> Any:
    """The JSON value of a payload; the text itself where it is none, for parse to skip and `/evidence` to show."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


def fingerprint(event_type: str, body: Any) -> str | None:
    """What two deliveries of one fact share: type and canonical body. None where there is no canonical form."""
    try:
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        return None
    return hashlib.sha256(f"{event_type}\0{canonical}".encode()).hexdigest()
