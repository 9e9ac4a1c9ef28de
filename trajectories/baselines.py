"""Which single-agent run a team is set against: the same task, model, effort, time, limits and harnesses."""

from __future__ import annotations

from typing import Any

from runs import figures
from runs.models import Run
from trajectories.summary import Summary, of_runs

Kind = tuple[Any, ...]


def kind(run: Run) -> Kind:
    """What must be equal before a baseline says anything about a team."""
    names = ("model", "effort", "duration_s", "input_tokens", "output_tokens")
    return (run.task, *(str(run.spec.get(name)) for name in names), *sorted(figures.harness_counts(run.spec)))


def baselines(runs: list[Run]) -> dict[Kind, Run]:
    """The newest ended single-agent run of each kind."""
    tasks = {run.task for run in runs}
    found = Run.objects.filter(task__in=tasks, status="ended", spec__peers=False).order_by("id")
    return {kind(base): base for base in found}


def baseline_summary(run: Run) -> Summary | None:
    """What the baseline of this run came to; None where there is none."""
    base = baseline_of(run)
    return of_runs([base.pk])[base.pk] if base else None


def baseline_of(run: Run) -> Run | None:
    """The one for this run; None for a baseline itself."""
    return None if run.spec.get("peers") is False else baselines([run]).get(kind(run))
