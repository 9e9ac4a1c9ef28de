"""Listening to a live run: poll every source, store, derive, ring; at the end say that it is drained, then settle."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.db import IntegrityError
from django.db.models import F, Q

from runs.folder import RunFolder
from runs.models import FINAL, Run
from trajectories import indexes, ledger
from trajectories.briefing import keep
from trajectories.derive import Deriver, settle
from trajectories.ingest.polling import Poller
from trajectories.live import doorbell
from trajectories.models import Delivery, Stream, now_ms
from trajectories.sources.outbox import OutboxUnread

logger = logging.getLogger(__name__)
LEASE_MS = 15_000
WAKE_S = 0.25
BEHIND_S = 0.1  # so that the doors, which share the processor, still go first
ANSWER_S = 1.0  # a turn waits for its sources at most this long, all of them together
QUIET_S = 1.0  # nothing new for this long after the end: the last word was heard
LONGEST_S = 20.0  # settle this long after the end even if sources still stir
MANY_BATCHES = 5_000  # of steps: each holds up to 200
HOLDER = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
UNDER_WAY = ("preflight", "starting", "running", "stopping")

_listeners: dict[int, Listener] = {}
_guard = threading.Lock()


class Listener:
    """One run's ears and mind in this process; kept between tasks, so that the fold stays in memory."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.busy = threading.Lock()
        self.deriver = Deriver(run_id)
        self.indexes = indexes.Follower(run_id)
        self.pollers = [Poller(run_id, name) for name in ("run", "board", "mattermost", "gitea", "gateway")]
        self.slow = False  # a source has not answered: the others are not made to wait for it again
        self.n = -1
        self.stirred = time.monotonic()

    def turn(self) -> bool:
        """One wake. False when there is nothing left to listen to."""
        run = Run.objects.get(pk=self.run_id)
        final, draining = run.status in FINAL, run.phase == "draining"
        endpoints = endpoints_of(run)
        gone = run.drained_at is not None  # read to the end and counted: real services may go any moment now
        for poller in self.pollers:
            poller.ask(endpoints, final=final or draining, gone=gone)
        until = time.monotonic() + (0.0 if self.slow else ANSWER_S)
        for poller in self.pollers:
            poller.take(until, final=final)
        self.slow = any(poller.asked is not None for poller in self.pollers)
        try:
            self.deriver.wake()
        except IntegrityError:  # another deriver wrote: read what it said and go on
            logger.warning("run %s: another deriver wrote the log", run.slug)
            self.deriver = Deriver(self.run_id)
        place = Stream.of(self.run_id)
        if place.n != self.n:
            self.n, self.stirred = place.n, time.monotonic()
            doorbell.ring(self.run_id, place.c)
        self.indexes.turn(place.n)
        if draining and run.drained_at is None and self._is_drained():
            _write_down(run)
            Run.objects.filter(pk=self.run_id, drained_at=None).update(drained_at=datetime.now(UTC))
        return not (final and self._has_ended(run, place))

    @property
    def pause_s(self) -> float:
        """From one turn's beginning to the next: less while more is stored than the deriver takes at once."""
        return WAKE_S if self.deriver.n >= self.n else BEHIND_S

    def _is_drained(self) -> bool:
        return all(poller.is_empty for poller in self.pollers) and time.monotonic() - self.stirred > QUIET_S

    def _has_ended(self, run: Run, place: Stream) -> bool:
        """After the end: settle once all is told."""
        waited = time.time() - run.ended_at.timestamp() if run.ended_at else LONGEST_S
        if waited < LONGEST_S and not self._is_drained():
            return False
        for poller in self.pollers:
            poller.keep()
        if not place.settled:
            settle(self.run_id, self.deriver.live_hash() if self.deriver.n == place.n else "")
            doorbell.ring(self.run_id)
        indexes.finish(self.run_id)
        _count(run)
        keep(run.pk)
        return True


def _write_down(run: Run) -> None:
    """What the databases of real services hold, for the ledger: they go with the stack."""
    try:
        ledger.keep(run, RunFolder.of(run.slug).path)
    except (OutboxUnread, OSError) as problem:
        logger.warning("run %s: what its outboxes hold was not written down: %s", run.slug, problem)


def _count(run: Run) -> None:
    """What the sources held against what is stored; of a very large run in a process of its own, which gives its memory back."""
    if Delivery.objects.filter(run=run, source="acp").count() < MANY_BATCHES:
        ledger.count(run, RunFolder.of(run.slug).path)
        return
    command = [sys.executable, str(django_settings.BASE_DIR / "manage.py"), "ledger", run.slug, "--keep"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(command, start_new_session=True, **quiet)  # type: ignore[call-overload]


def listen(run_id: int, seconds: float, stopped: Any = lambda: False) -> bool:
    """Listen for a while under the run's lease. True if there is more to hear."""
    with _guard:
        listener = _listeners.setdefault(run_id, Listener(run_id))
    Stream.of(run_id)
    if not listener.busy.acquire(blocking=False):
        return False
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not stopped():
            if not Stream.take(run_id, HOLDER, LEASE_MS):
                return False
            began = time.monotonic()
            if not listener.turn():
                with _guard:
                    _listeners.pop(run_id, None)
                return False
            time.sleep(max(0.0, listener.pause_s - (time.monotonic() - began)))
        return True
    except Run.DoesNotExist:
        with _guard:
            _listeners.pop(run_id, None)
        return False
    finally:
        listener.busy.release()
        Stream.drop(run_id, HOLDER)


def due() -> list[int]:
    """Runs that somebody should listen to and nobody does: under way, or over and not yet settled."""
    _free_the_dead()
    now = now_ms()
    free = Q(stream=None) | Q(stream__holder="") | Q(stream__held_until__lt=now)
    over = Q(status__in=FINAL) & (
        Q(stream=None, event_count__gt=0)
        | (Q(stream__isnull=False) & ~Q(stream__settled_n=F("stream__n")))
        | Q(feeds__source="run", feeds__deliveries__lt=F("event_count"))
    )
    return list(Run.objects.filter(free, Q(status__in=UNDER_WAY) | over).distinct().values_list("pk", flat=True))


def _free_the_dead() -> None:
    """Drop leases of processes of this host that are no more, so that nobody waits for them to run out."""
    host = socket.gethostname()
    for run_id, holder in Stream.objects.filter(holder__startswith=f"{host}:").values_list("run_id", "holder"):
        pid = holder.split(":")[1]
        if holder != HOLDER and not (pid.isdigit() and (Path("/proc") / pid).exists()):
            Stream.drop(run_id, holder)


def endpoints_of(run: Run) -> dict[str, Any]:
    """The run's endpoints with the run itself: what every source's `pull` is given."""
    folder = str(django_settings.DATA_DIR / "runs" / run.slug)
    return {**(run.endpoints or {}), "run": {"id": run.pk, "slug": run.slug, "folder": folder}}
