"""Behaviours beside the paper: what this team was seen to do of itself, since when, how often, and at what size the paper saw it."""

from __future__ import annotations

from typing import Any

from trajectories.newest import Newest
from trajectories.readings.tools import became, evidence, seconds
from trajectories.reducers.behaviours import BEHAVIOURS

NO_ROW = {"first_seen_at": None, "count": 0, "evidence": [], "evidence_count": 0}


def behaviours(newest: Newest) -> dict[str, Any]:
    """`{"workers", "seen", "rows": [{"name", "title", "meaning", "paper_workers", "first_seen_s", "count", "workers", "reading", ..}]}`.

    Every behaviour of the registry has a row, seen or not; `reading` sets it against the paper in a few words. `workers` = how many
    workers became integrators, where some did so more than once.
    """
    table, workers = newest.tables["behaviours"], len(newest.tables["workers"])
    integrators = len(became(newest, "integrator"))
    told = integrators if integrators != table.get("integrator", NO_ROW)["count"] else None
    rows = []
    for name, about in BEHAVIOURS.items():
        row = {"name": name, **table.get(name, NO_ROW)}
        rows.append(
            {
                "name": name,
                "title": about.title,
                "meaning": about.meaning,
                "paper_workers": about.paper_workers,
                "first_seen_s": seconds(newest, row["first_seen_at"]),
                "count": row["count"],
                "workers": told if name == "integrator" else None,
                "reading": _reading(workers, about.paper_workers, bool(row["count"])),
                **evidence("behaviours", row),
            }
        )
    return {"workers": workers, "seen": sum(1 for row in rows if row["count"]), "rows": rows}


def _reading(workers: int, paper: int, seen: bool) -> str:
    """This run beside the paper's team of that size."""
    if seen:
        return "in a smaller team than in the paper" if workers < paper else "as in the paper"
    return "the paper reports it from larger teams only" if workers < paper else "the paper saw it at this size"
