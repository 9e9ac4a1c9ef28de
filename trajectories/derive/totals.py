"""What a run cost in all, left on the run when it is settled: estimates of later runs read it."""

from __future__ import annotations

from typing import Any

from runs.models import Run
from trajectories.events import millis
from trajectories.reducers import Fold


def totals(fold: Fold) -> dict[str, int | None]:
    """Tokens, agent-seconds, and cost where any worker's cost is known."""
    rows: list[Any] = list(fold.tables["workers"].values())
    spans = [(row["joined_at"], row["ended_at"] or row["last_seen_at"]) for row in rows]
    costs = [row["cost_microusd"] for row in rows if row["cost_microusd"] is not None]
    return {
        "tokens": sum(row["input_tokens"] + row["output_tokens"] for row in rows),
        **{name: sum(row[name] for row in rows) for name in ("input_tokens", "cached_tokens", "output_tokens")},
        "cost_microusd": sum(costs) if costs else None,
        "agent_seconds": sum(max(0, millis(end) - millis(start)) for start, end in spans if start and end) // 1000,
    }


def keep_totals(run_id: int, fold: Fold) -> None:
    """Write them into the run's provenance, inside the present transaction."""
    run = Run.objects.select_for_update().get(pk=run_id)
    run.provenance = {**run.provenance, "totals": totals(fold)}
    run.save(update_fields=["provenance"])
