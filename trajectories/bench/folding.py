"""What the whole reducer set costs per event, in a long run beside short ones: it must not grow with the run.

Processor time is measured, so that other programs of the machine do not count. Events come to the fold as they do in the product: decoded
in order a batch before, not from wherever a simulation happened to leave them in memory. The short runs are several, of different seeds.
"""

from __future__ import annotations

import gc
import pickle
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
SHORT_RUNS = 10
_BATCH = 500
CEILING = 1.3
_SHORT_HOURS, _LONG_HOURS = 1.25, 6.0
_PER_WORKER_HOUR = 430  # events of a simulated worker in an hour, about


def cost(short: int = SHORT, long: int = LONG, rounds: int = ROUNDS) -> dict[str, Any]:
    """`us_per_event` of runs of about `short` and `long` events, median of `rounds`, and their ratio beside its ceiling."""
    few = [_run(seed, _SHORT_HOURS, short) for seed in range(1, SHORT_RUNS + 1)]
    many = [_run(11, _LONG_HOURS, long)]
    gc.collect()
    # Turn and turn about, so that a busier minute of the machine meets both.
    folded = [(_fold(few), _fold(many)) for _ in range(rounds)]
    times = [(few_us, many_us) for (few_us, _), (many_us, _) in folded]
    costs = [round(statistics.median(each), 2) for each in zip(*times, strict=True)]
    ratio = statistics.median(b / a for a, b in times)
    sizes = [folded[0][0][1] // SHORT_RUNS, folded[0][1][1]]
    told = {
        name: {"events": size, "us_per_event": us}
        for name, size, us in zip(("short", "long"), sizes, costs, strict=True)
    }
    return {**told, "rounds": rounds, "ratio": round(ratio, 3), "ceiling": CEILING}


def _run(seed: int, hours: float, count: int) -> list[bytes]:
    """The first `count` events of a simulated run in canonical order, in batches that are decoded one at a time."""
    with tempfile.TemporaryDirectory(prefix="folding-") as folder:
        bundle = Path(folder) / "run"
        simulate(max(4, round(count / hours / _PER_WORKER_HOUR)), hours, seed, bundle)
        told = sorted(events(bundle), key=order_key)[:count]
    return [pickle.dumps(told[place : place + _BATCH], protocol=5) for place in range(0, len(told), _BATCH)]


def _fold(runs: list[list[bytes]]) -> tuple[float, int]:
    """(us per event, events)"""
    spent, count = 0.0, 0
    for run in runs:
        take = Fold().take
        gc.collect()
        gc.disable()
        for batch in run:
            told: list[Event] = pickle.loads(batch)  # noqa: S301 - our own bytes, made above
            count += len(told)
            began = time.process_time()
            for event in told:
                take(event)
            spent += time.process_time() - began
        gc.enable()
    return spent * 1e6 / count, count
