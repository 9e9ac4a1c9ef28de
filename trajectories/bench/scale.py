"""Scale: parts import, growth, served, doors and sockets, each beside a ceiling measured in the same run.

A bundle of 64 workers for two hours is simulated, or `AGENSH_BENCH_BUNDLE` names one (`simulate_run --workers 1024 --hours 6`).
`AGENSH_BENCH_PARTS=served,sockets` measures these alone: with a big bundle all of them take half an hour.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from django.db import connection

from runs.models import Run
from runs.simulate import simulate
from trajectories.bench import importing, stages, wire
from trajectories.bench.browsing import opening
from trajectories.bench.doors import http_ingest
from trajectories.bench.fanout import fanout
from trajectories.bench.memory import memory
from trajectories.bench.parts import asked
from trajectories.bench.serving import serving
from trajectories.bundle import import_bundle
from trajectories.models import ImportJob

WORKERS, HOURS = 64, 2.0
MANY, MANY_HOURS = 1024, 1.8  # all have joined by 105 minutes
SEED = 7
ROUNDS = 2


def scale() -> dict[str, Any]:
    """Import, growth, what is served of a run; then doors and sockets of a running app (on SQLite, as `up` runs)."""
    parts = asked(PARTS)
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        given = os.environ.get("AGENSH_BENCH_BUNDLE")
        told: dict[str, Any] = {
            "database": connection.vendor,
            "bundle": Path(given).name if given else f"{WORKERS} workers",
        }
        for name in parts:
            told[name] = PARTS[name](Path(folder), Path(given) if given else None)
    return told


def _import(folder: Path, given: Path | None) -> dict[str, Any]:
    return importing.importing(given or _simulated(folder, WORKERS, HOURS))


def _simulated(folder: Path, workers: int, hours: float) -> Path:
    path = folder / f"{workers}.agrun.zip"
    if not path.exists():
        simulate(workers, hours, SEED, path)
    return path


def _growth(folder: Path, many: Path | None) -> dict[str, Any]:
    """Cost per event of 1,024 workers beside 64, by processor time of all processes; the median of `ROUNDS`, taken by turns."""
    paths = {
        "64_workers": _simulated(folder, WORKERS, HOURS),
        "1024_workers": many or _simulated(folder, MANY, MANY_HOURS),
    }
    rounds = [{name: importing.whole(path) for name, path in paths.items()} for _ in range(ROUNDS)]
    cost = {name: [each[name]["cpu_us_per_event"] for each in rounds] for name in paths}
    ratio = round(median(cost["1024_workers"]) / median(cost["64_workers"]), 3)
    return {
        "cpu_us_per_event": cost,
        "events": {name: rounds[0][name]["events"] for name in paths},
        "stages_us_per_event": {name: stages.stages(path)["us_per_event"] for name, path in paths.items()},
        "ratio": ratio,
        "goal": 1.3,
    }


def _served(folder: Path, given: Path | None) -> dict[str, Any]:
    """Columns, memory of the web process, and the replay in Chromium."""
    slug = import_bundle(given or _simulated(folder, WORKERS, HOURS)).run
    run = Run.objects.get(slug=slug)
    try:
        return {"payload": wire.payload(run.pk), "serving": serving(run), "memory": memory(run), "replay": opening(run)}
    finally:
        ImportJob.objects.filter(run=run).delete()
        run.delete()


PARTS: dict[str, Callable[[Path, Path | None], dict[str, Any]]] = {
    "import": _import,
    "growth": _growth,
    "served": _served,
    "doors": lambda _folder, _given: http_ingest(),
    "sockets": lambda _folder, _given: fanout(),
}
