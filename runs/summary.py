"""A run as JSON for the API and the commands: lifecycle, spec and last score. What the team did is `run_state`'s to say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from runs.models import Run


def moment(value: datetime | None) -> str | None:
    """ISO 8601 UTC with milliseconds, or None."""
    return None if value is None else value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def phases(run: Run) -> list[dict[str, Any]]:
    """The phases entered so far with the time of each, for the page that shows a launch as it happens."""
    rows = run.run_events.filter(kind="run.phase_changed").values_list("at", "fields")
    return [{"phase": f["phase"], "at": moment(datetime.fromtimestamp(at / 1000, UTC))} for at, f in rows]


def summary(run: Run, full: bool = True) -> dict[str, Any]:
    """`full` adds spec, phases and provenance."""
    score = (run.monitor.get("checkpoint") or {}).get("score")
    short: dict[str, Any] = {
        "id": run.pk,
        "slug": run.slug,
        "name": run.name,
        "status": run.status,
        "phase": run.phase,
        "origin": run.origin,
        "scripted": run.scripted,
        "task": run.task,
        "group": run.group,
        "outcome": run.outcome,
        "reason": run.reason,
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "deadline_at": moment(run.deadline_at),
        "ended_at": moment(run.ended_at),
        "score": score
        and {**score, "pass_rate": round(score["passed"] / score["total"], 4) if score["total"] else None},
    }
    if not full:
        return short
    return {**short, "spec": run.spec, "phases": phases(run), "provenance": run.provenance}
