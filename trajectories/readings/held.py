"""When the claims of a run were opened and closed, and how each ended: gone over once a snapshot, a few bytes a claim."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from typing import Any

from trajectories.events import millis
from trajectories.newest import Newest
from trajectories.readings.kept import kept

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Held:
    """One entry a claim, in order of the table. Times in ms since the epoch, UNKNOWN for none; `first` = first opened by its worker."""

    opened: array[int] = field(default_factory=lambda: array("q"))
    first: array[int] = field(default_factory=lambda: array("q"))
    closed: array[int] = field(default_factory=lambda: array("q"))
    status: list[str] = field(default_factory=list)

    def lasted(self, status: str) -> list[float]:
        """Seconds from the first opening to the end, of the claims that ended so; those with unknown times left out."""
        return [
            (closed - (opened if first == UNKNOWN else first)) / 1000
            for opened, first, closed, ended in zip(self.opened, self.first, self.closed, self.status, strict=True)
            if ended == status and closed != UNKNOWN and (opened if first == UNKNOWN else first) != UNKNOWN
        ]


def held(newest: Newest) -> Held:
    """Of every claim."""
    return newest.reading(_held)


def _held(newest: Newest) -> Held:
    told = newest.reading(_columns)
    *times, status = (told[name] for name in ("opened", "first", "closed", "status"))
    return Held(*(array("q", column) for column in times), list(map(sys.intern, status)))


def _gone_over(newest: Newest) -> dict[str, list[Any]]:
    told: dict[str, list[Any]] = {"opened": [], "first": [], "closed": [], "status": []}
    for row in newest.laid_out("claims").tables["claims"].values():
        for column, name in (("opened", "opened_at"), ("first", "first_opened_at"), ("closed", "closed_at")):
            told[column].append(millis(row[name]) if row[name] else UNKNOWN)
        told["status"].append(row["status"])
    return told


_columns = kept("held", _gone_over)
