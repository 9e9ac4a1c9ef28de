"""Imports that people start from a page: each in a process of its own, so that pages answer meanwhile and memory goes back after it."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from trajectories.bundle import BadBundle, import_bundle
from trajectories.bundle.importing import Busy, Paused
from trajectories.models import ImportJob, now_ms

logger = logging.getLogger(__name__)
#: The run that the list offers to whoever wants to see a big team: as published, 16 nodes of 64 for six hours.
BIG = {"workers": 1024, "hours": 6.0, "seed": 7}
AGAIN_MS = 3_000  # a process that was killed is followed by another after this
_children: dict[int, subprocess.Popen[bytes]] = {}


def folder() -> Path:
    """Where bundles wait until they are in."""
    place = Path(settings.DATA_DIR) / "uploads"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def ask(name: str, path: Path | None, person: str, simulated: dict[str, Any] | None = None) -> ImportJob:
    """Queue a bundle that lies in `folder()`, or one that has to be simulated first."""
    place = path or folder() / f"{uuid.uuid4().hex}.agrun.zip"
    return ImportJob.objects.create(
        name=name[:200], path=str(place), ours=True, person=person[:150], simulate=simulated
    )


def big_job() -> ImportJob | None:
    """The newest job of the big simulated run that was not refused and whose run is still there."""
    jobs = ImportJob.objects.filter(simulate=BIG).exclude(phase=ImportJob.Phase.REFUSED).order_by("-pk")
    return next((job for job in jobs if job.run_id is not None or not job.over), None)


def ask_big(person: str) -> ImportJob:
    """The job of the big run: the one there is, else a new one. Of two that ask at the same time one finds the other's."""
    job = big_job()
    if job is None:
        name = f"{BIG['workers']:,} workers, {BIG['hours']:g} h (simulated)"
        mine = ask(name, None, person, BIG)
        first = (
            ImportJob.objects.filter(simulate=BIG, pk__lt=mine.pk)
            .exclude(phase__in=ImportJob.OVER)
            .order_by("pk")
            .first()
        )
        if first is None:
            return mine
        mine.delete()
        return first
    return job


def drive() -> None:
    """Start a process for each job that nobody alive is at. Called by the tick; calling it twice does no harm."""
    for pk, child in list(_children.items()):
        if child.poll() is not None:
            del _children[pk]
    for pk in ImportJob.left_alone():
        job = ImportJob.objects.filter(pk=pk).first()
        fresh = job is not None and (not job.holder or now_ms() - job.moved_at > AGAIN_MS)
        if fresh and pk not in _children:
            command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "import_run", "--job", str(pk)]
            _children[pk] = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)


def bring_in(job: ImportJob, told: Callable[[ImportJob], None] = lambda job: None) -> None:
    """Do a job in this process; stops at a safe place when the process that started it is gone."""
    parent = os.getppid()
    path = Path(job.path)
    if not job.take():
        return
    wanted = _Wanted(job.pk)
    try:
        if job.simulate is not None and not path.exists():
            _simulate(job, path, told, wanted)
        done = import_bundle(path, job, told, goes_on=lambda: os.getppid() == parent and wanted())
        logger.info("imported %s: %s stored, %s rejected", done.run, done.stored.new, done.rejected_count)
    except (Paused, Busy) as problem:
        logger.info("import %s: %s", job.pk, type(problem).__name__)
        if wanted(now=True):
            return
    except (BadBundle, ValueError) as problem:
        job.tell(phase=ImportJob.Phase.REFUSED, error=str(problem).replace(str(path), job.name)[:300], holder="")
    except Exception as problem:  # what nobody foresaw must not begin again and again
        logger.exception("import %s failed", job.pk)
        job.tell(phase=ImportJob.Phase.REFUSED, error=f"{type(problem).__name__}: {problem}"[:300], holder="")
    path.unlink(missing_ok=True)


class _Wanted:
    """Whether nobody has stopped a job, looked up twice a second at most."""

    def __init__(self, pk: int) -> None:
        self._rows = ImportJob.objects.filter(pk=pk).exclude(phase=ImportJob.Phase.REFUSED)
        self._next, self._last = 0.0, True

    def __call__(self, now: bool = False) -> bool:
        if now or time.monotonic() >= self._next:
            self._last, self._next = self._rows.exists(), time.monotonic() + 0.5
        return self._last


def _simulate(job: ImportJob, path: Path, told: Callable[[ImportJob], None], wanted: _Wanted) -> None:
    from runs.simulate import simulate  # needed in the child only

    def hear(share: float) -> None:
        job.tell(done=round(share * 1000))
        told(job)
        if not wanted():
            raise Paused

    job.tell(phase=ImportJob.Phase.SIMULATING, done=0, total=1000)
    if not ImportJob.objects.filter(phase=ImportJob.Phase.SIMULATING).exclude(pk=job.pk).exists():
        for left in path.parent.glob(".agrun-*"):  # by a process that was killed in the middle
            shutil.rmtree(left, ignore_errors=True)
    simulate(job.simulate["workers"], job.simulate["hours"], job.simulate["seed"], path, hear)
