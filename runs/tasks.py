"""Celery tasks: wake-ups with ids, thin and at most five minutes long. A lost or doubled one costs delay, nothing else."""

from __future__ import annotations

from pathlib import Path

from celery import shared_task
from django.conf import settings

from runs import driving, scoring
from runs.backends.compose import leftovers, readiness
from runs.models import Run


@shared_task(name="runs.tasks.tick")
def tick() -> None:
    """Every second: wake a driver for each run that is under way."""
    for run_id in driving.due():
        launch.apply_async((run_id,), expires=5)


@shared_task(name="runs.tasks.launch")
def launch(run_id: int) -> None:
    """Drive one run: launch it, watch it for a moment, or take it down a step."""
    driving.drive(run_id)


@shared_task(name="runs.tasks.score")
def score(run_id: int, checkpoint: int, at_s: int) -> None:
    """Score one checkpoint; the scorer's work is done by a process of its own at low priority."""
    run = Run.objects.filter(pk=run_id).first()
    if run is not None:
        scoring.score(run, checkpoint, at_s)


@shared_task(name="runs.tasks.engine")
def engine() -> None:
    """The launcher looks at its engine: what preflight may promise, and stacks that belong to no run any more."""
    data = Path(settings.DATA_DIR)
    if not readiness.report(data)["error"]:
        leftovers.remove(data, set(Run.objects.filter(status__in=driving.ACTIVE).values_list("pk", flat=True)))
