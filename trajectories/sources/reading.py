"""Typed looks into a body that may be anything: parse is total, so a wrong type is an absence, never an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import millis

_BIG = 2**63
_LATEST = 253_402_300_800_000


def part(value: Any, name: str) -> Mapping[str, Any]:
    """An object inside an object, else an empty one."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def parts(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects of a list inside an object."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def text(value: Mapping[str, Any], name: str) -> str | None:
    """A string, else None."""
    found = value.get(name)
    return found if isinstance(found, str) else None


def whole(value: Mapping[str, Any], name: str) -> int | None:
    """A whole number within 63 bits, else None."""
    found = value.get(name)
    return found if type(found) is int and -_BIG < found < _BIG else None


def moment(value: Mapping[str, Any], name: str) -> int | None:
    """Milliseconds of an ISO 8601 time or of a number of milliseconds; None for none, for year 1 and for junk."""
    found = value.get(name)
    if type(found) is int:
        return found if 0 < found < _LATEST else None
    if not isinstance(found, str) or not found:
        return None
    try:
        at = millis(found)
    except (ValueError, OverflowError):
        return None
    return at if 0 < at < _LATEST else None


def header(headers: Mapping[str, str], name: str) -> str | None:
    """A header whatever its case."""
    for key, value in headers.items():
        if key.lower() == name.lower():
            return value
    return None
