"""Scale: parts import, growth, served, doors and sockets, each beside a ceiling measured in the same run.

A bundle of 64 workers for two hours is simulated, or `AGENSH_BENCH_BUNDLE` names one (`simulate_run --workers 1024 --hours 6`).
`AGENSH_BENCH_PARTS=served,sockets` measures these alone. Each part says how long it took: all of them two to three minutes with 64 workers,
about ten with 1,024 workers over six hours, which are stored three times: for the import, for the growth, and to be served.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

from runs.models import Run
from runs.simulate import simulate
from trajectories.bench import importing, stages, wire
from trajectories.bench.browsing import opening
from trajectories.bench.doors import http_ingest
from trajectories.bench.fanout import fanout
from trajectories.bench.memory import memory
from trajectories.bench.parts import asked, say
from trajectories.bench.serving import serving
from trajectories.bundle import import_bundle
from trajectories.bundle.layout import Bundle
from trajectories.models import ImportJob

WORKERS, HOURS = 64, 2.0
MANY, MANY_HOURS = 1024, 1.8  # all have joined by 105 minutes
SEED = 7


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
            began = time.perf_counter()
            told[name] = PARTS[name](Path(folder), Path(given) if given else None)
            told[name]["took_s"] = round(time.perf_counter() - began, 1)
            say(f"scale: {name} took {told[name]['took_s']} s")
    return told


def _import(folder: Path, given: Path | None) -> dict[str, Any]:
    return importing.importing(given or _simulated(folder, WORKERS, HOURS))


def _simulated(folder: Path, workers: int, hours: float) -> Path:
    path = folder / f"{workers}.agrun.zip"
    if not path.exists():
        simulate(workers, hours, SEED, path)
    return path


def _growth(folder: Path, many: Path | None) -> dict[str, Any]:
    """Cost per event of 1,024 workers beside 64 over as many hours, by processor time, stage by stage in one process: what begins other processes
    is no cost of an event. The small one is taken before and after the big one: a machine changes its speed."""
    few, more = _simulated(folder, WORKERS, _hours(many)), many or _simulated(folder, MANY, MANY_HOURS)
    before, big, after = (stages.stages(path) for path in (few, more, few))
    small = {name: (us + after["us_per_event"][name]) / 2 for name, us in before["us_per_event"].items()}
    cost = {"64_workers": small, "1024_workers": big["us_per_event"]}
    whole = {name: sum(us for stage, us in each.items() if stage in stages.SUMMED) for name, each in cost.items()}
    return {
        "us_per_event": {name: {stage: round(us, 1) for stage, us in each.items()} for name, each in cost.items()},
        "whole_us_per_event": {name: round(us, 1) for name, us in whole.items()},
        "events": {"64_workers": before["events"], "1024_workers": big["events"]},
        "ratio": round(whole["1024_workers"] / whole["64_workers"], 3),
        "goal": 1.3,
    }


def _hours(bundle: Path | None) -> float:
    """How long the run of a bundle was meant to last."""
    if bundle is None:
        return HOURS
    opened = Bundle(bundle)
    try:
        return float(opened.manifest["run"]["duration_s"]) / 3600
    finally:
        opened.close()


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
