"""The claims ledger: every claim as a line on the run's own time axis, filtered, and counted over time."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.held import UNKNOWN, held
from trajectories.readings.tools import between, evidence, length, median, name_of, seconds, step

PIECES = 48
STATUSES = ("live", "landed", "recovered", "failed", "released", "superseded", "abandoned", "expired")
FILTERS = (*STATUSES, "overlapped", "lost")
SORTS = {"opened": "opened", "newest": "newest first", "longest": "held longest", "worker": "worker"}


def claims(
    newest: Newest, *, status: str = "", worker: int | None = None, words: str = "", sort: str = "opened"
) -> dict[str, Any]:
    """`{"count", "statuses", "median_landed_s", "lines": [Row]}`; lines are rows of the State, to be told by `claim_line`."""
    asked = [row for row in newest.tables["claims"].values() if _fits(row, worker, words)]
    found, counts = asked, Counter(str(row["status"]) for row in asked)
    if status == "overlapped":
        found = [row for row in found if row["overlaps"]]
    elif status == "lost":
        found = [row for row in found if row["status"] in ("failed", "abandoned", "expired")]
    elif status:
        found = [row for row in found if row["status"] == status]
    landed = [row for row in found if row["status"] == "landed"]
    return {
        "count": len(found),
        "statuses": {name: counts[name] for name in STATUSES if counts[name]},
        "overlapped": sum(1 for row in asked if row["overlaps"]),
        "median_landed_s": median(
            between(row["first_opened_at"] or row["opened_at"], row["closed_at"]) for row in landed
        ),
        "lines": sorted(found, key=lambda row: _order(row, sort)),
    }


def counted(newest: Newest) -> dict[str, Any]:
    """`{"count", "statuses", "median_landed_s"}` of every claim, as `claims` tells them."""
    told = held(newest)
    counts = Counter(told.status)
    statuses = {name: counts[name] for name in STATUSES if counts[name]}
    return {"count": len(told.status), "statuses": statuses, "median_landed_s": median(told.lasted("landed"))}


def claim_line(newest: Newest, row: Row) -> dict[str, Any]:
    """A claim with its times in seconds and its place on the axis in per cent (`from_pc`, `to_pc`)."""
    span = length(newest)
    opened, closed = seconds(newest, row["opened_at"]) or 0.0, seconds(newest, row["closed_at"])
    until = seconds(newest, row["held_until"])
    end = span if until is None else until
    return {
        "claim": row["claim"],
        "worker": row["worker"],
        "name": name_of(newest, row["worker"]),
        "text": row["text"],
        "subject": row["subject"],
        "status": row["status"],
        "opened_at_s": opened,
        "closed_at_s": closed,
        "held_until_s": until,
        "held_s": None if until is None else until - opened,
        "from_pc": round(min(100.0, max(0.0, 100 * opened / span)), 2),
        "to_pc": round(min(100.0, max(0.0, 100 * end / span)), 2),
        "overlaps": list(row["overlaps"]),
        "pull": row["pull"],
        "linked_by": row["linked_by"],
        "recovered_by": row["recovered_by"],
        **evidence("claims", row),
    }


def over_time(newest: Newest) -> dict[str, Any]:
    """`{"step_s", "at_s", "live", "opened", "landed", "lost"}`: claims opened and closed in each step, held at its end."""
    return newest.reading(_over_time)


def _over_time(newest: Newest) -> dict[str, Any]:
    span = length(newest)
    size = step(span, PIECES)
    pieces = max(1, int(-(-span // size)))
    opened, landed, lost, ended = ([0] * pieces for _ in range(4))

    def place(at: int) -> int:
        return 0 if at == UNKNOWN else min(max(int(newest.seconds(at) // size), 0), pieces - 1)

    told = held(newest)
    for began, over, status in zip(told.opened, told.closed, told.status, strict=True):
        opened[place(began)] += 1
        if over == UNKNOWN:
            continue
        at = place(over)
        ended[at] += 1
        landed[at] += status in ("landed", "recovered")
        lost[at] += status in ("failed", "abandoned", "expired")
    live, now = [], 0
    for k in range(pieces):
        now += opened[k] - ended[k]
        live.append(now)
    axis = [k * size for k in range(pieces)]
    return {"step_s": size, "at_s": axis, "live": live, "opened": opened, "landed": landed, "lost": lost}


def _fits(row: Row, worker: int | None, words: str) -> bool:
    if worker is not None and row["worker"] != worker:
        return False
    return not words or words.casefold() in f"{row['text']} {row['subject']}".casefold()


def _order(row: Row, sort: str) -> Any:
    opened = row["opened_at"] or ""
    if sort == "newest":
        return (-row["claim"],)
    if sort == "longest":
        return (-(between(row["opened_at"], row["held_until"]) or 1e12), row["claim"])
    return (row["worker"] or 0, opened, row["claim"]) if sort == "worker" else (opened, row["claim"])
