"""Celery tasks: wake-ups. Each may be lost or doubled; the lease and the tick make that harmless."""

from __future__ import annotations

import logging
from pathlib import Path

from celery import shared_task
from celery.worker import state as celery_state

from trajectories import listening
from trajectories.bundle import BadBundle, import_bundle

logger = logging.getLogger(__name__)
LISTEN_S = 50.0


@shared_task(name="trajectories.tasks.tick")
def tick() -> None:
    """Every second: somebody listens to each run that is under way or not yet settled."""
    for run_id in listening.due():
        listen.apply_async((run_id,), expires=10)


@shared_task(name="trajectories.tasks.listen")
def listen(run_id: int) -> None:
    """Listen to one run for a while, then let another task go on."""
    if listening.listen(run_id, LISTEN_S, _is_stopping):
        listen.apply_async((run_id,), expires=10)


@shared_task(name="trajectories.tasks.import_upload")
def import_upload(path: str) -> None:
    """Import a bundle that a person uploaded, then remove the upload."""
    file = Path(path)
    try:
        done = import_bundle(file).as_json()
        logger.info("imported %s: %s stored, %s rejected", done["run"], done["stored"], done["rejected"])
    except BadBundle as problem:
        logger.warning("upload refused: %s", problem)
    finally:
        file.unlink(missing_ok=True)


def _is_stopping() -> bool:
    return any(
        asked is not None and asked is not False for asked in (celery_state.should_stop, celery_state.should_terminate)
    )
