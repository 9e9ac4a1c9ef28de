"""Checkpoints: when one is due, scoring `main` as it is now, and whether the team is done. The scorer runs in its own process."""

from __future__ import annotations

import logging
import time
from typing import Any

import httpx
from celery import current_app
from django.db import transaction
from django.utils import timezone

from runs import scorers
from runs.bootstrap.client import BootstrapError
from runs.catalog import find_task
from runs.folder import RunFolder
from runs.mirror import main_commit, refresh
from runs.models import Run
from runs.spec import RunSpec

LOST_S = 240  # a scoring that has not answered for so long will not
FIELDS = ("passed", "total", "not_run", "error_code", "evaluator", "took_ms")
log = logging.getLogger(__name__)
_asked: dict[int, tuple[float, bool]] = {}


def schedule(run: Run, spec: RunSpec) -> None:
    """Wake the scorer for a checkpoint that is due. One at a time: while it is busy, due ones are stored as skipped."""
    assert run.started_at is not None
    elapsed = int((timezone.now() - run.started_at).total_seconds())
    due = elapsed // spec.checkpoint_s
    told = run.monitor.get("checkpoint", {})
    if due <= told.get("last", 0):
        return
    with run.locked():
        told = run.monitor.setdefault("checkpoint", {"last": 0})
        busy = told.get("busy")
        if busy and time.time() - busy["since"] < LOST_S:
            _record(run, due, due * spec.checkpoint_s, "", {"error_code": "skipped"})
        else:
            told["busy"] = {"k": due, "since": time.time()}
            _wake(run.pk, due, due * spec.checkpoint_s)
        told["last"] = due
        run.save(update_fields=["monitor"])


def _wake(run: int, k: int, at_s: int) -> None:
    transaction.on_commit(lambda: current_app.send_task("runs.tasks.score", (run, k, at_s)))


def score(run: Run, k: int, at_s: int) -> None:
    """Score `main` as checkpoint k. A lost or doubled call changes nothing: only the one that is awaited is stored."""
    if _awaited(run) != k or run.is_final:
        return
    try:
        commit, result = measure(run)
    except Exception:  # whatever a scorer does, the next checkpoint must not wait for this one
        log.exception("run %s: checkpoint %s could not be scored", run.slug, k)
        commit, result = "", {"error_code": "crashed"}
    with run.locked():
        told = run.monitor.setdefault("checkpoint", {"last": k})
        if _awaited(run) != k or run.is_final:
            return
        _record(run, k, at_s, commit, result)
        told["busy"] = None
        if result.get("total"):
            told["score"] = {"commit": commit, **{key: result.get(key) for key in FIELDS}}
        run.save(update_fields=["monitor"])


def _awaited(run: Run) -> int | None:
    busy = run.monitor.get("checkpoint", {}).get("busy")
    return busy["k"] if busy else None


def wake_final(run: Run) -> None:
    """Ask for the last checkpoint, the program as the team leaves it, unless just that commit was scored already."""
    assert run.started_at is not None
    with run.locked():
        told = run.monitor.setdefault("checkpoint", {"last": 0})
        known = told.get("score")
        if told.get("busy") or (known and known["commit"] == main_commit(RunFolder.of(run.slug))):
            return
        told["last"] += 1
        told["busy"] = {"k": told["last"], "since": time.time()}
        _wake(run.pk, told["last"], int((timezone.now() - run.started_at).total_seconds()))
        run.save(update_fields=["monitor"])


def is_busy(run: Run) -> bool:
    """True while a scoring is awaited."""
    busy = run.monitor.get("checkpoint", {}).get("busy")
    return bool(busy) and time.time() - busy["since"] < LOST_S


def measure(run: Run) -> tuple[str, dict[str, Any]]:
    """The commit of `main` and its score. The same commit is not run twice: its last result is given, in no time."""
    folder, task = RunFolder.of(run.slug), find_task(run.task)
    if task is None:
        return "", {"error_code": "task_missing"}
    try:
        refresh(run, folder)
        commit = main_commit(folder)
    except BootstrapError:
        return "", {"error_code": "repository_unreachable"}
    known = run.monitor.get("checkpoint", {}).get("score")
    if known and known["commit"] == commit and not known.get("error_code"):
        return commit, {**{key: known[key] for key in FIELDS}, "took_ms": 0}
    if not commit:
        return "", {"error_code": "no_commit"}
    wall = min(180, max(30, 2 * int(run.spec.get("checkpoint_s", 90))))
    limits = {"cpu_s": 120, "wall_s": wall, "memory_bytes": 2 << 30}
    scorer = scorers.SCORERS[run.provenance.get("evaluator") or "suite"]
    return commit, dict(scorer.score(task.folder, folder.mirror, commit, limits))


def _record(run: Run, k: int, at_s: int, commit: str, result: dict[str, Any]) -> None:
    fields = {"passed": 0, "total": 0, "not_run": 0, "error_code": None, "evaluator": "", "took_ms": 0}
    fields |= {key: result[key] for key in FIELDS if key in result}
    run.record("checkpoint.scored", checkpoint=k, at_s=at_s, commit=commit, **fields)


def is_complete(run: Run) -> bool:
    """True when the last score is full, `main` has not moved since, and no pull is open. The forge is asked every 2 s at most."""
    known = run.monitor.get("checkpoint", {}).get("score")
    if not known or not known.get("total") or known["passed"] < known["total"]:
        return False
    then, answer = _asked.get(run.pk, (0.0, False))
    if time.monotonic() - then > 2:
        answer = _settled(run, known["commit"])
        _asked[run.pk] = (time.monotonic(), answer)
    return answer


def forget(run: Run) -> None:
    """The run is over."""
    _asked.pop(run.pk, None)


def _settled(run: Run, commit: str) -> bool:
    forge = run.endpoints["forge"]
    headers = {"Authorization": f"token {RunFolder.of(run.slug).secrets.get('forge_token')}"}
    here = f"{forge['url']}/api/v1/repos/{forge['owner']}/{forge['repo']}"
    try:
        with httpx.Client(headers=headers, timeout=5, trust_env=False) as http:
            pulls = http.get(f"{here}/pulls", params={"state": "open", "limit": 1})
            branch = http.get(f"{here}/branches/main")
            return pulls.json() == [] and branch.json()["commit"]["id"] == commit
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return False
