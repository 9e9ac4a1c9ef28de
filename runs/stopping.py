"""Taking a run down: workers, then what their services still hold, then the services; nothing is left and nothing is lost.

Stages are kept on the row, so a run that was stopping when the app died goes on from there.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

from runs import health, scoring
from runs.backends import backend_of, local
from runs.bootstrap.client import BootstrapError
from runs.folder import RunFolder
from runs.mirror import main_commit, refresh, submission
from runs.models import Run, Worker
from runs.outbox import read_status

WORKERS_S = {"cancelled": 4, "ended": 8, "failed": 4}
DRAIN_S = {"cancelled": 3, "ended": 20, "failed": 3}
SCORING_S = 200
SERVICES_S = 6
REVIVED_S = 300
SHIPPERS, SHIP_S, SHIPPING_S = 8, 60, 200  # at once, seconds for one, seconds for all
log = logging.getLogger(__name__)


def step(run: Run) -> None:
    """One step down; called every second until the run is over."""
    folder = RunFolder.of(run.slug)
    stage = run.monitor.get("stop", {}).get("stage", "")
    if not (folder.path / "plan.json").exists():
        backend_of(run).kill(folder.path)
        run.finish()  # it failed or was cancelled before anything was started
        return
    if run.cancel_requested_at and run.outcome == "ended":
        run.outcome, run.reason = "cancelled", "cancelled by a person"  # while it was ending: no long waits any more
        if kept := run.provenance.get("salvaged"):
            run.provenance = {**run.provenance, "salvaged": {**kept, "interrupted": True}}
        run.save(update_fields=["outcome", "reason", "provenance"])
    read_status(run, folder)
    _STAGES[stage](run, folder)


def _enter(run: Run, stage: str) -> None:
    with run.locked():
        run.monitor["stop"] = {"stage": stage, "since": time.time()}
        run.save(update_fields=["monitor"])


def _spent(run: Run) -> float:
    return time.time() - float(run.monitor["stop"]["since"])


def _stop_workers(run: Run, folder: RunFolder) -> None:
    if backend_of(run).supervisor_alive(folder.path):
        for row in run.workers.exclude(status__in=[Worker.Status.ENDED, Worker.Status.DEAD]):
            backend_of(run).command(
                folder.path, "stop", proc=row.name, life=row.life, grace_s=WORKERS_S[run.outcome] - 1
            )
    _enter(run, "workers")


def _wait_for_workers(run: Run, folder: RunFolder) -> None:
    """Until every worker has exited; one that was never started cannot exit."""
    running = run.workers.filter(status__in=[Worker.Status.ALIVE, Worker.Status.SILENT]).exists()
    if running and _spent(run) < WORKERS_S[run.outcome] and backend_of(run).supervisor_alive(folder.path):
        return
    if run.outcome == "ended":
        backend_of(run).ensure_supervisor(
            folder.path
        )  # one that died took the services along; what they hold is still to be read
    run.enter_phase("draining")
    _salvage(run, folder)
    if run.outcome == "ended":
        _ship_leftovers(run, folder)
    _enter(run, "draining")


def _salvage(run: Run, folder: RunFolder) -> None:
    """Keep the repository and the team's `main` as one file, and say on the run what they are: whole, or cut short."""
    kept = {"repository": str(folder.mirror), "fetched": True, "interrupted": run.outcome != "ended"}
    try:
        refresh(run, folder)
    except (BootstrapError, OSError) as problem:
        kept |= {"fetched": False, "why": str(problem)[:200]}
    try:
        kept |= {"commit": main_commit(folder), "submission": submission(folder)}
    except (BootstrapError, OSError) as problem:
        kept |= {"submission": None, "why": str(problem)[:200]}
    run.provenance = {**run.provenance, "salvaged": kept}
    run.save(update_fields=["provenance"])


def _ship_leftovers(run: Run, folder: RunFolder) -> None:
    """What a dead worker spooled and nobody received is sent now, in its name; a few at a time, for a bounded while,
    and no longer once a person cancels."""
    left = [folder.worker(row.name) for row in run.workers.all() if _unshipped(folder.worker(row.name) / "spool")]
    going: list[subprocess.Popen[bytes]] = []
    until = time.monotonic() + SHIPPING_S
    while (left or going) and time.monotonic() < until and not _is_cancelled(run):
        while left and len(going) < SHIPPERS:
            going += _shipper(left.pop())
        going = [each for each in going if each.poll() is None]
        time.sleep(0.2)
    for each in going:
        each.kill()
        each.wait()


def _is_cancelled(run: Run) -> bool:
    return Run.objects.filter(pk=run.pk, cancel_requested_at__isnull=False).exists()


def _shipper(place: Path) -> list[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "worker.ship", "--config", str(place / "worker.json"), "--seconds", str(SHIP_S)]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        return [subprocess.Popen(command, cwd=place, env=local.environment(place / "home"), **quiet)]
    except OSError as problem:
        log.warning("%s: what is left in the spool could not be sent: %s", place, problem)
        return []


def _unshipped(spool: Path) -> bool:
    """True if some life said more than the app has acknowledged."""
    for file in spool.glob("*.jsonl"):
        try:
            acknowledged = int(file.with_suffix(".ack").read_text())
        except (OSError, ValueError):
            acknowledged = 0
        with file.open("rb") as lines:
            if sum(1 for _ in lines) > acknowledged:
                return True
    return False


def _drain(run: Run, folder: RunFolder) -> None:
    """Wait until the listener has read every outbox to its end, for a while."""
    if run.drained_at is None and _spent(run) < DRAIN_S[run.outcome]:
        return
    if run.outcome == "ended" and run.started_at:
        scoring.wake_final(run)
    _enter(run, "scoring")


def _score(run: Run, folder: RunFolder) -> None:
    """The last checkpoint, which needs the forge; a person who cancels does not wait for it."""
    if run.outcome == "ended" and scoring.is_busy(run) and _spent(run) < SCORING_S:
        return
    if backend_of(run).supervisor_alive(folder.path):
        backend_of(run).command(folder.path, "end")
    _enter(run, "services")


def _wait_for_services(run: Run, folder: RunFolder) -> None:
    if not backend_of(run).ended(folder.path) and _spent(run) < SERVICES_S:
        return
    backend_of(run).kill(folder.path)
    read_status(run, folder)
    health.forget(run)
    scoring.forget(run)
    run.finish()


_STAGES = {
    "": _stop_workers,
    "workers": _wait_for_workers,
    "draining": _drain,
    "scoring": _score,
    "services": _wait_for_services,
}
