"""Scale: what a run of many workers costs the server, each figure beside a ceiling measured in the same run.

A bundle of 64 workers for two hours is simulated, or `AGENSH_BENCH_BUNDLE` names one (`simulate_run --workers 1024 --hours 6`).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from django.db import connection

from runs.models import Run
from runs.simulate import simulate
from trajectories.bench import importing, wire
from trajectories.bench.doors import http_ingest
from trajectories.bench.fanout import fanout
from trajectories.bench.memory import memory
from trajectories.bundle import import_bundle
from trajectories.models import ImportJob

WORKERS, HOURS = 64, 2.0
MANY, MANY_HOURS = 1024, 1.8  # all have joined by 105 minutes
SEED = 7


def scale() -> dict[str, Any]:
    """Import, growth, timeline, serving, memory of a web process; then doors and sockets of a running app (on SQLite, as `up` runs)."""
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        given = os.environ.get("AGENSH_BENCH_BUNDLE")
        path = Path(given) if given else _simulated(Path(folder), WORKERS, HOURS)
        told: dict[str, Any] = {"database": connection.vendor, "bundle": path.name}
        told["import"] = importing.importing(path)
        told["growth"] = _growth(Path(folder), path if given else None)
        told |= _served(path)
    told["http_ingest"] = http_ingest()
    told["fanout"] = fanout()
    return told


def _simulated(folder: Path, workers: int, hours: float) -> Path:
    path = folder / f"{workers}.agrun.zip"
    simulate(workers, hours, SEED, path)
    return path


def _growth(folder: Path, many: Path | None) -> dict[str, Any]:
    """Cost per event of 1,024 workers beside 64, and of a long run beside a short one."""
    few = importing.whole(_simulated(folder, WORKERS, HOURS))
    more = importing.whole(many or _simulated(folder, MANY, MANY_HOURS))
    ratio = round(more["cpu_us_per_event"] / few["cpu_us_per_event"], 3)
    return {f"{WORKERS}_workers": few, "1024_workers" if not many else "given": more, "ratio": ratio, "goal": 1.3}


def _served(path: Path) -> dict[str, Any]:
    slug = import_bundle(path).run
    run = Run.objects.get(slug=slug)
    try:
        return {"payload": wire.payload(run.pk), "serving": wire.serving(run.pk, slug), "memory": memory(run)}
    finally:
        ImportJob.objects.filter(run=run).delete()
        run.delete()
