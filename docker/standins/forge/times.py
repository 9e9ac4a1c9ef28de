"""Times of a query string."""

from __future__ import annotations

from datetime import UTC, datetime


def millis_or_none(text: str | None) -> int | None:
    """Milliseconds of an ISO 8601 time, None where there is none or it is broken."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
