"""Watching a running team: one short step a second under the run's lease. It decides silence, restarts, checkpoints and the end.

What the supervisor wrote is read as an outbox: its cursor moves in the transaction of the events it became.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from runs import scoring
from runs.backends import backend_of
from runs.backends.files import append_line
from runs.folder import RunFolder
from runs.gateways import watch_budget
from runs.health import watch_services
from runs.models import Action, Run, Worker
from runs.outbox import read_status
from runs.spec import RunSpec
from runs.team import spec_of, start_life, start_workers

TICK_S = 10
RESTART_AFTER_S = 8
MAX_LIVES = 5


def step(run: Run) -> None:
    """Everything that is due now for a run in status running."""
    spec, folder = spec_of(run), RunFolder.of(run.slug)
    if run.cancel_requested_at:
        run.stop("cancelled", "cancelled by a person")
        return
    if run.end_requested_at:
        run.stop("ended", "ended early by a person")
        return
    if not (folder.path / "plan.json").exists():
        run.stop("failed", "the run's folder is gone")
        return
    read_status(run, folder)
    assert run.deadline_at is not None
    if timezone.now() >= run.deadline_at:  # also of a run that went on while no app was there to end it
        run.stop("ended", "the time was up")
        return
    if backend_of(run).ensure_supervisor(folder.path):
        _resend_starts(run, spec)
    read_status(run, folder)
    watch_services(run, folder)
    watch_budget(run, folder)
    _tick(run)
    _all_joined(run, spec)
    _restart_workers(run, spec)
    _silence(run, spec, folder)
    _carry_out(run, folder)
    scoring.schedule(run, spec)
    _end_if_due(run, spec)


def _tick(run: Run) -> None:
    """`run.ticked` every 10 s since the start; after a gap one tick, not all that were missed."""
    assert run.started_at is not None
    due = int((timezone.now() - run.started_at).total_seconds()) // TICK_S
    if due > run.monitor.get("ticks", 0):
        with run.locked():
            run.record("run.ticked")
            run.monitor["ticks"] = due
            run.save(update_fields=["monitor"])


def _all_joined(run: Run, spec: RunSpec) -> None:
    if run.phase == "workers":
        if run.workers.filter(life=0).exists():
            start_workers(run, spec)  # a launch that was cut off between the clock and the last worker
        elif not run.workers.filter(status__in=[Worker.Status.WAITING, Worker.Status.STARTING]).exists():
            run.enter_phase("running")


def _resend_starts(run: Run, spec: RunSpec) -> None:
    """A new supervisor reads the commands again; a life whose line was never written is started now."""
    for row in run.workers.filter(status=Worker.Status.STARTING):
        row.life -= 1
        start_life(run, spec, row, timezone.now(), timezone.now())


def _restart_workers(run: Run, spec: RunSpec) -> None:
    """A worker that died gets its next life a little later, a few times."""
    now = timezone.now()
    for row in run.workers.filter(status=Worker.Status.DEAD, life__lt=MAX_LIVES):
        if row.last_seen_at and now - row.last_seen_at > timedelta(seconds=RESTART_AFTER_S * row.life):
            start_life(run, spec, row, now, now)


def _silence(run: Run, spec: RunSpec, folder: RunFolder) -> None:
    """Silent: alive, and for twice the idle limit nothing went into its spool. A nudge falls due before that."""
    now = time.time()
    for row in run.workers.filter(status__in=[Worker.Status.ALIVE, Worker.Status.SILENT]):
        spoke = _spoke_at(folder, row)
        quiet = now - spoke > 2 * spec.idle_limit_s
        if quiet and row.status == Worker.Status.ALIVE:
            _mark(run, row, Worker.Status.SILENT, "worker.silent", since=int(spoke * 1000))
        elif not quiet and row.status == Worker.Status.SILENT:
            _mark(run, row, Worker.Status.ALIVE, "worker.heard")


def _spoke_at(folder: RunFolder, row: Worker) -> float:
    """When something last went into the worker's spool, at the earliest when it joined."""
    joined = row.last_seen_at.timestamp() if row.last_seen_at else 0.0
    newest = joined
    for path in (folder.worker(row.name) / "spool").glob("*.jsonl"):
        try:
            newest = max(newest, path.stat().st_mtime)
        except OSError:
            continue
    return newest


def _mark(run: Run, row: Worker, status: str, kind: str, **fields: object) -> None:
    with run.locked():
        row.status = status
        row.save(update_fields=["status"])
        run.record(kind, worker=row.n, **fields)


def _carry_out(run: Run, folder: RunFolder) -> None:
    """Nudges and stops that people asked for."""
    for action in run.actions.filter(done_at=None, action__in=[Action.What.NUDGE, Action.What.STOP_WORKER]):
        row = (
            run.workers.filter(name=action.target).first()
            or run.workers.filter(
                n=int(action.target) if action.target.isascii() and action.target.isdigit() else -1
            ).first()
        )
        if row is not None and action.action == Action.What.NUDGE:
            append_line(folder.worker(row.name) / "commands.jsonl", {"command": "nudge"})
        elif row is not None:
            backend_of(run).command(folder.path, "stop", proc=row.name, life=row.life)
            if row.status == Worker.Status.DEAD:
                row.status = Worker.Status.ENDED  # so that it is not started again
                row.save(update_fields=["status"])
        action.done_at = timezone.now()
        action.save(update_fields=["done_at"])


def _end_if_due(run: Run, spec: RunSpec) -> None:
    if not run.workers.exclude(status=Worker.Status.ENDED).exists():
        run.stop("ended", "every worker has ended")
    elif spec.ends_early and run.phase == "running" and scoring.is_complete(run):
        run.stop("ended", "all tests pass and every pull is settled")
