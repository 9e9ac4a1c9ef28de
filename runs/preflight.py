"""What must be there before a launch, each failing row with the command that mends it; and what a run will take."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from runs.catalog import find_task
from runs.harnesses import TRUSTED
from runs.live_app import is_live
from runs.models import Run
from runs.spec import GIB, RunSpec

MIN_DISK_BYTES = 2 * GIB
WORKER_MEMORY_BYTES = 180 << 20  # a worker loop, `mini` and its shell, measured with room to spare
SERVICES_MEMORY_BYTES = 600 << 20


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
        rows += [_memory(spec), _isolation(spec)]
    rows += [_task(spec), _model(spec)]
    return rows


def installation() -> list[Check]:
    """What `doctor` says without a spec."""
    rows = [_git(), _python(), _disk(), _folder()]
    live = is_live()
    rows.append(Check("app", True, "running on this data folder" if live else "not running; manage.py up starts it"))
    return rows


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
    free, need = available_memory(), SERVICES_MEMORY_BYTES + spec.workers * WORKER_MEMORY_BYTES
    text = f"{free / GIB:.1f} GiB available, about {need / GIB:.1f} GiB needed"
    fit = free >= need
    most = max(0, (free - SERVICES_MEMORY_BYTES) // WORKER_MEMORY_BYTES)
    return Check("memory", fit, text, "" if fit else f"close other programs, or launch at most {most} workers here")


def available_memory() -> int:
    """MemAvailable of this machine in bytes."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _isolation(spec: RunSpec) -> Check:
    foreign = [name for name, _ in spec.harnesses if name not in TRUSTED]
    if not foreign:
        return Check("isolation", True, "not isolated: workers are processes of this user; mini is our own agent")
    if os.environ.get("AGENSH_ALLOW_UNSANDBOXED") == "1":
        return Check("isolation", True, "not isolated, as AGENSH_ALLOW_UNSANDBOXED=1 allows")
    return Check(
        "isolation",
        False,
        f"{', '.join(foreign)} would run without a sandbox",
        "choose harness mini, or set AGENSH_ALLOW_UNSANDBOXED=1 if you trust it with this machine",
    )


def _task(spec: RunSpec) -> Check:
    task = find_task(spec.task)
    if task is None:
        return Check(
            "task", False, f"{spec.task!r} is not installed", "put its folder under docker/tasks or AGENSH_TASKS_DIR"
        )
    missing = [name for name in ("task.yaml", "docs", "tests.json", "seed") if not (task.folder / name).exists()]
    if missing:
        return Check("task", False, f"{task.name} lacks {', '.join(missing)}", "complete the task folder")
    return Check("task", True, f"{task.title} ({task.language})")


def _model(spec: RunSpec) -> Check:
    if spec.scripted:
        return Check("model", True, "scripted model, offline")
    return Check("model", True, f"{spec.model} at {spec.endpoint} (not called before the launch)")


def estimate(spec: RunSpec) -> dict[str, Any]:
    """Agent-hours less the ramp; tokens and cost as a range from earlier runs of the same model and harnesses, if any.

    `earlier` = how many runs the range rests on; 0 means "no earlier run" and no range.
    """
    hours = spec.agent_seconds() / 3600
    rates = list(_rates(spec))
    answer: dict[str, Any] = {
        "agent_hours": round(hours, 2),
        "earlier": len(rates),
        "tokens": None,
        "cost_microusd": None,
    }
    if rates:
        tokens, costs = [t for t, _ in rates], [c for _, c in rates if c is not None]
        answer["tokens"] = [int(min(tokens) * hours), int(max(tokens) * hours)]
        if costs:
            answer["cost_microusd"] = [int(min(costs) * hours), int(max(costs) * hours)]
    return answer


def _rates(spec: RunSpec) -> Iterable[tuple[float, float | None]]:
    """Tokens and cost per agent-hour of earlier runs. Whoever derives the totals leaves them in `provenance.totals`."""
    wanted = {name for name, _ in spec.harnesses}
    for run in Run.objects.filter(status="ended").exclude(provenance={}).order_by("-id")[:200]:
        totals = run.provenance.get("totals") or {}
        same = run.spec.get("model") == spec.model and set(run.spec.get("harnesses", {})) == wanted
        if same and totals.get("tokens") and totals.get("agent_seconds"):
            hours = totals["agent_seconds"] / 3600
            cost = totals.get("cost_microusd")
            yield totals["tokens"] / hours, None if cost is None else cost / hours
