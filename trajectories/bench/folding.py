"""What the whole reducer set costs per event, in a long run beside a short one: it must not grow with the run.

Processor time is measured, so that other programs of the machine do not count.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from runs.simulate import simulate
from trajectories.bench.planted import events
from trajectories.events import Event, order_key
from trajectories.reducers import Fold

SHORT, LONG, ROUNDS = 10_000, 1_000_000, 5
CEILING = 1.3
_SHORT_TEAM, _LONG_TEAM = (16, 1.0), (384, 6.0)


def cost(short: int = SHORT, long: int = LONG, rounds: int = ROUNDS) -> dict[str, Any]:
    """`us_per_event` of runs of about `short` and `long` events, median of `rounds`, and their ratio beside its ceiling."""
    told: dict[str, Any] = {}
    for name, count, (workers, hours) in (("short", short, _SHORT_TEAM), ("long", long, _LONG_TEAM)):
        run = _run(workers, hours * min(1.0, count / LONG * 3 if name == "long" else 1.0), count)
        # A short run is over in a moment: folded often enough, its rounds last as long as they must to be measured.
        times = [_fold(run, max(1, 100_000 // len(run))) for _ in range(rounds)]
        told[name] = {"events": len(run), "us_per_event": round(statistics.median(times), 2)}
        del run
        gc.collect()
    ratio = told["long"]["us_per_event"] / told["short"]["us_per_event"]
    return {**told, "ratio": round(ratio, 3), "ceiling": CEILING}


def _run(workers: int, hours: float, count: int) -> list[Event]:
    with tempfile.TemporaryDirectory(prefix="folding-") as folder:
        bundle = Path(folder) / "run"
        simulate(workers, max(0.5, hours), 11, bundle)
        return sorted(events(bundle), key=order_key)[:count]


def _fold(run: list[Event], times: int) -> float:
    spent = 0.0
    for _ in range(times):
        fold = Fold()
        take = fold.take
        gc.collect()
        gc.disable()
        began = time.process_time()
        for event in run:
            take(event)
        spent += time.process_time() - began
        gc.enable()
    return spent * 1e6 / len(run) / times
