"""Who drives a run: one at a time, by a lease on its row. Each call is short; the tick calls again."""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid

from django.utils import timezone

from runs import monitor, stopping
from runs.backends import backend_of
from runs.folder import RunFolder
from runs.launch import launch
from runs.models import Run

HOLDER = f"{socket.gethostname()[:30]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
LEASE_S = 60
ACTIVE = ("draft", "preflight", "starting", "running", "stopping")
MAX_FAULTS = 10
log = logging.getLogger(__name__)
_faults: dict[int, int] = {}
_mine: set[int] = set()
_lock = threading.Lock()


def due() -> list[int]:
    """Runs that somebody should drive, less the ones this process is at right now."""
    with _lock:
        busy = set(_mine)
    return [
        pk for pk in Run.objects.filter(status__in=ACTIVE).order_by("pk").values_list("pk", flat=True) if pk not in busy
    ]


def drive(run_id: int) -> bool:
    """Do for the run what is due now. False if somebody else drives it or it is over."""
    with _lock:
        if run_id in _mine:
            return False
        _mine.add(run_id)
    try:
        run = Run.objects.filter(pk=run_id, status__in=ACTIVE).first()
        if run is None or not _hold(run):
            return False
        run.refresh_from_db()
        if run.status == "running":
            monitor.step(run)
        elif run.status == "stopping":
            _take_down(run)
        else:
            launch(run, alive=lambda: _keep(run))
        return True
    finally:
        with _lock:
            _mine.discard(run_id)


def _take_down(run: Run) -> None:
    """A step down. A step that keeps failing must not keep processes alive: then everything is killed and the run has failed."""
    try:
        stopping.step(run)
        _faults.pop(run.pk, None)
    except Exception as problem:
        _faults[run.pk] = _faults.get(run.pk, 0) + 1
        log.exception("run %s: a step of its end failed", run.slug)
        if _faults[run.pk] >= MAX_FAULTS:
            backend_of(run).kill(RunFolder.of(run.slug).path)
            run.finish("failed", f"it could not be taken down: {type(problem).__name__}: {problem}")
            _faults.pop(run.pk, None)


def _hold(run: Run) -> bool:
    """Have the lease: a look is enough while it is ours and fresh, so that a quiet second writes nothing."""
    left = (run.lease_until - timezone.now()).total_seconds() if run.lease_until else 0
    return (run.lease_holder == HOLDER and left > LEASE_S / 2) or run.take_lease(HOLDER, LEASE_S)


def _keep(run: Run) -> None:
    _hold(run)


def forget_dead_leases() -> None:
    """For the embedded app, which holds the lock of its data folder: whoever had a lease before is dead."""
    Run.objects.filter(status__in=ACTIVE).exclude(lease_holder="").update(lease_holder="", lease_until=None)
