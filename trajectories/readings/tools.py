"""Small things every reading needs: times, shares, medians, names, steps of a time axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from trajectories.events import millis
from trajectories.newest import Newest, Row
from trajectories.readings.held import UNKNOWN, held
from trajectories.readings.kept import kept
from trajectories.reducers import TABLES

PPM = 1_000_000
STEPS_S = (10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)


def seconds(newest: Newest, time: str | None) -> float | None:
    """An ISO time as seconds since run.started; None stays None."""
    return None if time is None else newest.seconds(millis(time))


def between(since: str | None, until: str | None) -> float | None:
    """Seconds from one ISO time to another; None if either is unknown."""
    return (millis(until) - millis(since)) / 1000 if since and until else None


def share(part: int, whole: int) -> int | None:
    """Parts per million; None of nothing."""
    return round(PPM * part / whole) if whole else None


def median(values: Iterable[float | None]) -> float | None:
    """The middle value of the known ones; None of none."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    half = len(known) // 2
    return known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2


def name_of(newest: Newest, worker: Any) -> str:
    """`w0017`, the login of somebody outside the team, or `unknown`."""
    if type(worker) is int:
        row = newest.tables["workers"].get(worker)
        return str(row["name"]) if row and row["name"] else f"w{worker:04d}"
    return "unknown" if worker is None else str(worker)


def became(newest: Newest, role: str) -> set[Any]:
    """The workers that had a role at any time."""
    return {row["worker"] for row in newest.tables["roles"].values() if row["role"] == role}


def worker(text: str) -> int | str | None:
    """Who is meant: a worker's number, or the login of somebody outside the team; None for nothing."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else text or None


def length(newest: Newest) -> float:
    """Seconds from run.started to the last thing the State knows of; at least 1."""
    found = newest.reading(_length)
    return max(1.0, found)


def _last_time(newest: Newest) -> float:
    columns = {"workers": ("last_seen_at", "ended_at"), "pulls": ("opened_at", "merged_at", "closed_at")}
    times = [
        row[column] for table, names in columns.items() for row in newest.tables[table].values() for column in names
    ]
    last = max((time for time in times if time), default=None)
    claims = max([*held(newest).opened, *held(newest).closed], default=UNKNOWN)
    scores = [row["at_s"] or 0 for row in newest.tables["checkpoints"].values()]
    return max([seconds(newest, last) or 0.0, 0.0 if claims == UNKNOWN else newest.seconds(claims), *scores])


_length = kept("length", _last_time)


def step(span_s: float, pieces: int) -> int:
    """A round step in seconds that cuts a span into at most so many pieces."""
    day = STEPS_S[-1]
    return next((each for each in STEPS_S if span_s / each <= pieces), day * math.ceil(span_s / pieces / day))


def evidence(table: str, row: Row) -> dict[str, Any]:
    """`{"proof": address under the run's own, "refs": [..], "refs_count": n}` of a row of a table."""
    key = quote(str(row[TABLES[table].key]), safe="")
    return {"proof": f"proof/{table}/{key}", "refs": list(row["evidence"]), "refs_count": row["evidence_count"]}
