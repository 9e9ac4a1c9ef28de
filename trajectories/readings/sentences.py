"""Plain sentences: counts with their nouns, spans of time as people say them, lists with an and."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, the row that proves it (as `tools.evidence` tells it), and the address of the view that shows more.

    Addresses are under the run's own, unless they begin with a slash.
    """

    text: str
    link: str | None = None
    row: Mapping[str, Any] | None = None

    def told(self) -> Told:
        """As plain data."""
        row = self.row or {"proof": None, "refs": [], "refs_count": 0}
        return {"text": self.text, "link": self.link, **{name: row[name] for name in ("proof", "refs", "refs_count")}}


def many(count: int, noun: str) -> str:
    """`1 worker`, `3 workers`, `no worker`."""
    return f"no {noun}" if count == 0 else f"{count:,} {noun}{'' if count == 1 else 's'}"


def were(count: int, what: str = "were") -> str:
    """`was` of one, `were` of none or many."""
    return "was" if count == 1 else what


def took(seconds: float | None) -> str:
    """`41 s`, `4 min 10 s`, `5 h 58 min`; `unknown` for None."""
    if seconds is None:
        return "an unknown time"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, rest = divmod(whole // 60, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def joined(parts: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last
