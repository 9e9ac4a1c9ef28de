"""What the whole reducer set costs per event, in a long run beside short ones: it must not grow with the run.

Like is measured with like: a team for a hundred times as long as the same team's short runs; and, harder, a team twenty times as large for
six hours beside those short runs, where every worker is met so seldom that its rows have left the processor's caches.
Processor time is measured, so that other programs of the machine do not count. Events come to the fold as they do in the product: decoded
in order a batch before, not from wherever a simulation happened to leave them in memory, and garbage is looked for as seldom.
The short runs are several, of different seeds.
"""

from __future__ import annotations

import gc
import pickle
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from runs.simulate import simulate
from trajectories.bench.parts import say
from trajectories.bench.planted import events
from trajectories.events import Event, order_key
from trajectories.ingest.garbage import seldom_collected
from trajectories.reducers import Fold

SHORT, LONG, ROUNDS = 10_000, 1_000_000, 5
SHORT_RUNS = 10
_BATCH = 500
_CLOCK = 100_000  # readings that tell what one costs
CEILING = 1.3
_SHORT_HOURS, _LARGE_HOURS = 1.25, 6.0
_PER_WORKER_HOUR = 430  # events of a simulated worker in an hour, about


def cost(short: int = SHORT, long: int = LONG, rounds: int = ROUNDS) -> dict[str, Any]:
    """`us_per_event` of runs of about `short` and `long` events, medians of `rounds`, and the `ratio` of `long` beside its ceiling.

    `long` is the team of the short runs, `large` a team that does as much in six hours. Long runs hold other events than short ones
    (more notes and merges), so `ratio_of_like` and `ratio_of_large_like` tell what the same events would have cost in a short run,
    and `ratio_within` what an event costs at the end of the long run beside one after its first `short` events.
    """
    team = _team(_SHORT_HOURS, short)
    few = [_run(seed, team, _SHORT_HOURS, short) for seed in range(1, SHORT_RUNS + 1)]
    sides = {
        "short": few,
        "long": [_run(11, team, long / team / _PER_WORKER_HOUR, long)],
        "large": [_run(11, _team(_LARGE_HOURS, long), _LARGE_HOURS, long)],
    }
    gc.collect()
    # Turn and turn about, the short runs before and after each of the others: a machine changes its speed within minutes.
    order = ("short", "long", "short", "large", "short")
    folded: list[list[Folded]] = []
    while len(folded) < rounds:
        folded.append([_fold(sides[name]) for name in order])
        say(f"cost: round {len(folded)} of {rounds}, us {', '.join(f'{each.us:.1f}' for each in folded[-1])}")
    told: dict[str, Any] = {"rounds": rounds, "workers": team, "ceiling": CEILING}
    for name, runs in sides.items():
        each = [fold.us for one in folded for side, fold in zip(order, one, strict=True) if side == name]
        count = folded[0][order.index(name)].events // len(runs)
        told[name] = {"events": count, "us_per_event": round(statistics.median(each), 2)}
    ratios = {
        name: statistics.median(2 * one[place].us / (one[place - 1].us + one[place + 1].us) for one in folded)
        for place, name in enumerate(order)
        if name != "short"
    }
    short_us = _by_kind(few)
    like = {name: _like(short_us, _by_kind(sides[name])) for name in ratios}
    told |= {"ratio": round(ratios["long"], 3), "ratio_of_large": round(ratios["large"], 3)}
    told |= {"ratio_of_like": round(like["long"], 3), "ratio_of_large_like": round(like["large"], 3)}
    late = statistics.median(_late(one[order.index("long")].batches, short) for one in folded)
    return {**told, "ratio_within": round(late, 3)}


def _team(hours: float, count: int) -> int:
    """Workers that make about so many events in that time."""
    return max(4, round(count / hours / _PER_WORKER_HOUR))


def _run(seed: int, workers: int, hours: float, count: int) -> list[bytes]:
    """The first `count` events of a simulated run in canonical order, in batches that are decoded one at a time."""
    with tempfile.TemporaryDirectory(prefix="folding-") as folder:
        bundle = Path(folder) / "run"
        simulate(workers, hours, seed, bundle)
        told = sorted(events(bundle), key=order_key)[:count]
    return [pickle.dumps(told[place : place + _BATCH], protocol=5) for place in range(0, len(told), _BATCH)]


class Folded(NamedTuple):
    """us per event, events, and of each batch (us, events)."""

    us: float
    events: int
    batches: list[tuple[float, int]]


def _fold(runs: list[list[bytes]]) -> Folded:
    batches: list[tuple[float, int]] = []
    for run in runs:
        take = Fold().take
        gc.collect()
        with seldom_collected():
            for batch in run:
                told: list[Event] = pickle.loads(batch)  # noqa: S301 - our own bytes, made above
                began = time.process_time()
                for event in told:
                    take(event)
                batches.append(((time.process_time() - began) * 1e6, len(told)))
    return Folded(_mean(batches), sum(count for _, count in batches), batches)


def _mean(batches: list[tuple[float, int]]) -> float:
    return sum(us for us, _ in batches) / sum(count for _, count in batches)


def _late(batches: list[tuple[float, int]], early: int) -> float:
    """The cost of a run's last events beside that of as many (nine times `early`) after its first `early` ones."""
    first = -(-early // _BATCH)
    return _mean(batches[-9 * first :]) / _mean(batches[first : 10 * first])


def _by_kind(runs: list[list[bytes]]) -> dict[str, tuple[float, int]]:
    """Of each kind of event: (us per event, events); each event is timed, and the clock's own time taken off."""
    spent: dict[str, int] = {}
    count: dict[str, int] = {}
    clock = time.thread_time_ns
    for run in runs:
        take = Fold().take
        gc.collect()
        with seldom_collected():
            for batch in run:
                for event in pickle.loads(batch):  # noqa: S301 - our own bytes, made above
                    began = clock()
                    take(event)
                    spent[event.kind] = spent.get(event.kind, 0) + clock() - began
                    count[event.kind] = count.get(event.kind, 0) + 1
    began = clock()
    for _ in range(_CLOCK):
        clock()
    idle = (clock() - began) / _CLOCK
    return {kind: ((spent[kind] / many - idle) / 1e3, many) for kind, many in count.items()}


def _like(short: dict[str, tuple[float, int]], long: dict[str, tuple[float, int]]) -> float:
    """What the long run's events cost, beside what as many of each kind cost in a short run; kinds that short runs lack are left out."""
    both = [(us, short[kind][0], many) for kind, (us, many) in long.items() if kind in short]
    return sum(us * many for us, _, many in both) / sum(us * many for _, us, many in both)
