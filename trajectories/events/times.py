"""Times: milliseconds since the epoch inside, ISO 8601 UTC with milliseconds outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_minutes: dict[str, int] = {}  # `2026-11-29T02:14` to ms: the times of a run share a few hundred of them
_MOST = 4_096


def iso(at: int) -> str:
    """`2026-11-29T02:14:07.123Z`. Exact: no float is involved."""
    return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def millis(text: str) -> int:
    """Milliseconds of an ISO 8601 time; a time without a zone is UTC. Raises ValueError."""
    if len(text) == 24 and text[16] == ":" and text[19] == "." and text[23] == "Z":  # as we write them
        minute, rest = _minutes.get(text[:16]), text[17:19] + text[20:23]
        if minute is not None and rest < "6" and rest.isascii() and rest.isdigit():
            return minute + int(rest)
    return _millis(text)


def _millis(text: str) -> int:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    found = (moment - _EPOCH) // _MS
    if len(text) == 24 and text[19] == "." and text[23] == "Z":
        if len(_minutes) > _MOST:
            _minutes.clear()
        _minutes[text[:16]] = found - found % 60_000
    return found
