"""Typed readers for the fields of an event: whatever a source wrote, a reducer gets the type it asked for, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trajectories.events import iso, millis

Fields = Mapping[str, Any]
_BIG = 2**63
_minutes: dict[int, str] = {}
_days: dict[int, str] = {}
_SECONDS: Final = tuple(f"{second:02d}." for second in range(60))
_MILLIS: Final = tuple(f"{milli:03d}Z" for milli in range(1000))


def text(fields: Fields, name: str, limit: int = 0) -> str:
    """A string, else the empty string; cut at `limit` characters when one is given."""
    value = fields.get(name)
    if type(value) is not str:
        return ""
    return value[:limit] if limit else value


def words(fields: Fields, name: str) -> str | None:
    """A string, else None."""
    value = fields.get(name)
    return value if type(value) is str else None


def whole(value: Any) -> int | None:
    """An integer within 63 bits, else None. True is not a number here; 3.0 and "3" are not either."""
    return value if type(value) is int and -_BIG < value < _BIG else None


def number(fields: Fields, name: str) -> int | None:
    """An integer within 63 bits, else None."""
    value = fields.get(name)
    return value if type(value) is int and -_BIG < value < _BIG else None


def count(fields: Fields, name: str) -> int:
    """An integer >= 0, else 0."""
    value = fields.get(name)
    return value if type(value) is int and 0 <= value < _BIG else 0


def flag(fields: Fields, name: str) -> bool:
    """True only for true."""
    return fields.get(name) is True


def items(fields: Fields, name: str) -> list[Any]:
    """A list, else an empty one."""
    value = fields.get(name)
    return list(value) if isinstance(value, (list, tuple)) else []


def moment(value: Any) -> int | None:
    """Milliseconds of a time given as such or as ISO 8601, else None."""
    if type(value) is int:
        return value if 0 <= value < 253402300800000 else None
    if type(value) is str and value:
        try:
            return millis(value)
        except (ValueError, OverflowError):
            return None
    return None


def stamp(at: int) -> str:
    """`iso(at)`, remembering the days and minutes it has seen: most times of a run share them."""
    minute, rest = divmod(at, 60_000)
    return (_minutes.get(minute) or _minute(minute)) + _SECONDS[rest // 1000] + _MILLIS[rest % 1000]


def _minute(minute: int) -> str:
    day, within = divmod(minute, 1440)
    date = _days.get(day)
    if date is None:
        if len(_days) > 4096:
            _days.clear()
        try:
            date = iso(day * 86_400_000)[:-13]
        except (OverflowError, ValueError):
            return "9999-12-31T23:59:"
        _days[day] = date
    if len(_minutes) > 4096:
        _minutes.clear()
    found = _minutes[minute] = f"{date}{within // 60:02d}:{within % 60:02d}:"
    return found
