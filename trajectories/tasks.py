"""Celery tasks: wake-ups. Each may be lost or doubled; the lease and the tick make that harmless."""

from __future__ import annotations

from celery import shared_task
from celery.worker import state as celery_state

from trajectories import bringing, listening

LISTEN_S = 50.0


@shared_task(name="trajectories.tasks.tick")
def tick() -> None:
    """Every second: somebody listens to each run that is under way or not yet settled, and brings in what was uploaded."""
    bringing.drive()
    for run_id in listening.due():
        listen.apply_async((run_id,), expires=10)


@shared_task(name="trajectories.tasks.listen")
def listen(run_id: int) -> None:
    """Listen to one run for a while, then let another task go on."""
    if listening.listen(run_id, LISTEN_S, _is_stopping):
        listen.apply_async((run_id,), expires=10)


def _is_stopping() -> bool:
    return any(
        asked is not None and asked is not False for asked in (celery_state.should_stop, celery_state.should_terminate)
    )
