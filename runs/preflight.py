"""What must be there before a launch, each failing row with the command that mends it; and what a run will take."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
from django.conf import settings

from runs import clis, gateways, harnesses
from runs.backends.compose import readiness
from runs.catalog import find_task
from runs.harnesses import HARNESSES, TRUSTED, package
from runs.isolation import NONE, isolation, may_run_unsandboxed, sandbox_fault
from runs.live_app import is_live
from runs.provenance import evaluator
from runs.scorers import SCORERS
from runs.services import choosing
from runs.spec import GIB, RunSpec

MIN_DISK_BYTES = 2 * GIB
SERVICES_MEMORY_BYTES = 600 << 20
SANDBOX_FIX = (
    "run the app as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or choose harness mini; "
    "AGENSH_ALLOW_UNSANDBOXED=1 runs them as they are, with this user's rights"
)


@dataclass(frozen=True, slots=True)
class Check:
    """One row of preflight. `fix` says what to do when it is not ok; `note` rows are ok and worth reading."""

    name: str
    ok: bool
    text: str
    fix: str = ""


def check(spec: RunSpec) -> list[Check]:
    """Every row for the spec's backend, good ones included."""
    rows = [_git(), _python(), _disk(), _folder()]
    if spec.backend == "local":
        rows += [_memory(spec), _isolation(spec), *_clis(name for name, _ in spec.harnesses)]
        rows += [Check(*row) for row in choosing.rows()]
    if spec.backend == "compose":
        told = readiness.rows(Path(settings.DATA_DIR), dict(spec.harnesses), settings.APP_URL, time.time())
        rows += [Check(*row) for row in told]
    rows += [_task(spec), _model(spec)]
    return rows


def installation() -> list[Check]:
    """What `doctor` says without a spec; in the production stack what `compose` needs, elsewhere what `local` does."""
    rows = [_git(), _python(), _disk(), _folder()]
    if settings.APP_URL:
        told = readiness.rows(Path(settings.DATA_DIR), {"mini": 8}, settings.APP_URL, time.time())
        return [*rows, _app(), *(Check(*row) for row in told)]
    live = is_live()
    rows.append(Check("app", True, "running on this data folder" if live else "not running; manage.py up starts it"))
    # Not faults of an installation: `mini` needs neither. A launch that needs them is refused with the same words.
    rows += [replace(row, ok=True) for row in _clis(HARNESSES)]
    unfit = sandbox_fault()
    rows.append(Check("sandbox", True, unfit or "agent CLIs on `local` run in one", SANDBOX_FIX if unfit else ""))
    return rows


def _app() -> Check:
    """Does the web process answer where the teams will look for it?"""
    try:
        well = httpx.get(f"{settings.APP_URL}/health/ready", timeout=3, trust_env=False).is_success
    except httpx.HTTPError:
        well = False
    text = f"{settings.APP_URL} {'answers' if well else 'does not answer'}"
    return Check("app", well, text, "" if well else "start it: docker compose up web; its log says why it does not")


def _git() -> Check:
    found = shutil.which("git")
    return Check("git", bool(found), found or "not found", "" if found else "Debian: apt-get install git")


def _python() -> Check:
    fit = sys.version_info >= (3, 11)
    return Check("python", fit, sys.version.split()[0], "" if fit else "install Python 3.11 or newer")


def _disk() -> Check:
    folder = _existing(Path(settings.DATA_DIR))
    free = shutil.disk_usage(folder).free
    enough = free >= MIN_DISK_BYTES
    fix = "" if enough else f"free at least {MIN_DISK_BYTES // GIB} GiB, or set AGENSH_DATA_DIR to a roomier disk"
    return Check("disk", enough, f"{free / GIB:.1f} GiB free at {folder}", fix)


def _folder() -> Check:
    folder = _existing(Path(settings.DATA_DIR))
    fit = os.access(folder, os.W_OK)
    return Check(
        "data folder", fit, str(settings.DATA_DIR), "" if fit else "set AGENSH_DATA_DIR to a folder you may write to"
    )


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _memory(spec: RunSpec) -> Check:
    free, workers = available_memory(), harnesses.need(spec.harnesses)
    need = SERVICES_MEMORY_BYTES + workers
    text = f"{free / GIB:.1f} GiB available, about {need / GIB:.1f} GiB needed"
    fit = free >= need
    most = max(0, (free - SERVICES_MEMORY_BYTES) * spec.workers // max(1, workers))
    return Check("memory", fit, text, "" if fit else f"close other programs, or launch at most {most} workers here")


def available_memory() -> int:
    """MemAvailable of this machine in bytes."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _isolation(spec: RunSpec) -> Check:
    kept = isolation(spec)
    bare = [name for name, word in kept.items() if word == NONE and name not in TRUSTED]
    if not bare:
        said = [f"{name}: {word}" for name, word in kept.items()]
        return Check("isolation", True, "; ".join([*said, sandbox_fault()] if NONE in kept.values() else said))
    text = f"{', '.join(bare)} would run without a sandbox: {sandbox_fault()}"
    if may_run_unsandboxed():
        return Check("isolation", True, f"not isolated, as AGENSH_ALLOW_UNSANDBOXED=1 allows; {sandbox_fault()}")
    return Check("isolation", False, text, SANDBOX_FIX)


def _clis(names: Iterable[str]) -> list[Check]:
    """A row for each agent CLI of npm: its pinned version, or what is missing and the command that brings it."""
    rows = []
    for name in names:
        if pinned := package(name):
            fault = clis.fault(name)
            rows.append(Check(name, not fault, fault or f"{pinned.name} {pinned.version}", clis.FIX if fault else ""))
    return rows


def _task(spec: RunSpec) -> Check:
    task = find_task(spec.task)
    if task is None:
        return Check(
            "task", False, f"{spec.task!r} is not installed", "put its folder under docker/tasks or AGENSH_TASKS_DIR"
        )
    missing = [name for name in ("task.yaml", "docs", "tests.json", "seed") if not (task.folder / name).exists()]
    if missing:
        return Check("task", False, f"{task.name} lacks {', '.join(missing)}", "complete the task folder")
    if (scorer := evaluator(task.folder)) not in SCORERS:
        text = f"{task.name} is scored by {scorer}, which this installation does not have"
        return Check("task", False, text, f"choose a task scored by {', '.join(SCORERS)}")
    return Check("task", True, f"{task.title} ({task.language})")


def _model(spec: RunSpec) -> Check:
    if spec.scripted:
        return Check("model", True, "scripted model, offline")
    text, fix = gateways.fault(spec)
    return Check("model", not text, text or f"{spec.model} at {spec.endpoint}, which answers", fix)
