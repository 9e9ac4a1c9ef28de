"""Times: milliseconds since the epoch inside, ISO 8601 UTC with milliseconds outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


def iso(at: int) -> str:
    """`2026-11-29T02:14:07.123Z`. Exact: no float is involved."""
    return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def millis(text: str) -> int:
    """Milliseconds of an ISO 8601 time; a time without a zone is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MS
