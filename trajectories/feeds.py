"""The health of a run's feeds: two figures each, when it last answered and how new its newest row is. Unknown is null, never zero."""

from __future__ import annotations

from typing import Any

from trajectories.events import iso
from trajectories.models import Feed, now_ms
from trajectories.sources import SOURCES


def feeds(run_id: int, now: int | None = None) -> list[dict[str, Any]]:
    """One row a source, those without any word included. `lag_ms` = how long ago it last answered."""
    moment = now_ms() if now is None else now
    rows = {row.source: row for row in Feed.objects.filter(run_id=run_id)}
    return [_shown(name, rows.get(name), moment) for name in SOURCES]


def _shown(name: str, row: Feed | None, now: int) -> dict[str, Any]:
    if row is None:
        row = Feed(source=name)
    told: dict[str, Any] = {"source": name, "polled_at": _iso(row.polled_at), "newest_at": _iso(row.newest_at)}
    told |= {"lag_ms": None if row.polled_at is None else max(0, now - row.polled_at)}
    told |= {"error": row.error or None, "error_since": _iso(row.error_since), "late": row.late}
    return {**told, "deliveries": row.deliveries, "skipped": row.skipped}


def _iso(at: int | None) -> str | None:
    return None if at is None else iso(at)
