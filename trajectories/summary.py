"""A run in one line, from its State: census, losses, scores, spending. Pure but for `of_run`, which reads the newest State."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from trajectories.models import Stream
from trajectories.newest import tables_at

Tables = Mapping[str, Mapping[Any, Mapping[str, Any]]]
STATUSES = ("working", "idle", "waiting", "nudged", "ended", "stalled", "dead")
LOST = ("dead", "stalled")


@dataclass(frozen=True, slots=True)
class Summary:
    """What the list and the comparison show. None means unknown, never zero."""

    workers: int = 0
    census: tuple[tuple[str, int], ...] = ()
    lost: tuple[str, ...] = ()  # names, as few as they are
    scores: tuple[tuple[int, int], ...] = ()  # (seconds since the start, parts per million)
    costs: tuple[int | None, ...] = ()  # micro-dollars spent by the team at each of `scores`
    passed: int | None = None
    total: int | None = None
    rate_ppm: int | None = None
    skipped: int = 0  # checkpoints without a score
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_microusd: int | None = None
    priced: bool = False  # the cost is worked out from tokens and list prices (`pricing.py`), nobody said it
    pulls: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, int] = field(default_factory=dict)
    recoveries: Mapping[str, int] = field(default_factory=dict)
    behaviours: Mapping[str, int] = field(default_factory=dict)
    reviews: int = 0


def summarise(tables: Tables) -> Summary:
    """The line of one State."""
    workers = tables["workers"].values()
    counts = Counter(str(row["status"]) for row in workers)
    lost = sorted(str(row["name"] or "?") for row in workers if row["status"] in LOST)
    checkpoints = sorted(tables["checkpoints"].values(), key=lambda row: row.get("at_s") or 0)
    scored = [row for row in checkpoints if row["rate_ppm"] is not None]
    last = scored[-1] if scored else {}
    costs = [row["cost_microusd"] for row in workers if row["cost_microusd"] is not None]
    return Summary(
        workers=len(workers),
        census=tuple((status, counts[status]) for status in STATUSES if counts[status]),
        lost=tuple(lost),
        scores=tuple((int(row["at_s"] or 0), int(row["rate_ppm"])) for row in scored),
        costs=tuple(row["cost_microusd"] for row in scored),
        passed=last.get("passed"),
        total=last.get("total"),
        rate_ppm=last.get("rate_ppm"),
        skipped=len(checkpoints) - len(scored),
        input_tokens=sum(row["input_tokens"] or 0 for row in workers) if workers else None,
        cached_tokens=sum(row["cached_tokens"] or 0 for row in workers) if workers else None,
        output_tokens=sum(row["output_tokens"] or 0 for row in workers) if workers else None,
        cost_microusd=sum(costs) if costs else None,
        pulls=_by_status(tables, "pulls"),
        claims=_by_status(tables, "claims"),
        recoveries=_by_status(tables, "recoveries"),
        behaviours={str(name): row["count"] for name, row in tables["behaviours"].items()},
        reviews=len(tables["reviews"]),
    )


def _by_status(tables: Tables, table: str) -> dict[str, int]:
    return dict(Counter(str(row["status"]) for row in tables[table].values()))


def of_runs(run_ids: list[int]) -> dict[int, Summary]:
    """The newest summary of each run. A run whose State has not moved costs one row read for all of them together."""
    names = ("run_id", "generation", "c", "run__created_at")
    streams = Stream.objects.filter(run_id__in=run_ids).values_list(*names)
    found = {place[0]: _at(*place) for place in streams}
    return {run_id: found.get(run_id, Summary()) for run_id in run_ids}


@lru_cache(maxsize=1024)
def _at(run_id: int, generation: int, c: int, created_at: datetime) -> Summary:
    # A change log is append-only, so a place of it means one thing; `created_at` tells apart databases that reuse an id.
    return summarise(tables_at(run_id, generation, c))
