"""Meaning: what the reducers find beside what was planted, what an event costs in a long run beside a short one, and events
folded a second, live and settled, beside reading the same events with no fold.

`AGENSH_BENCH_PARTS=plain,cost` measures these alone: a wording takes half a minute on two cores, the cost five minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from trajectories.bench.folding import cost
from trajectories.bench.parts import asked
from trajectories.bench.planted import FRESH_FROM, GOAL, HELD_OUT_FROM, HELD_OUT_SEEDS, SEEDS, compare
from trajectories.bench.scratch import enrolments, notes, scratch_run
from trajectories.derive import Deriver, settle
from trajectories.ingest.store import store
from trajectories.models import Stream
from trajectories.models.reading import canonical

COUNT, WAKE = 10_000, 250


def meaning() -> dict[str, Any]:
    """`plain`: precision and recall by kind over the seeds, misses listed; `third`: the same of a wording that was held out once;
    `held_out`: of teams that write in words, about another program and on seeds that no rule was read against; `fresh`: of a wording
    written after all rules, whose first look is in the README and whose misses were read then; `cost`: us per event.

    `met` is whether every kind of the wordings measured reaches the goal and the cost stays under its ceiling.
    """
    told: dict[str, Any] = {"seeds": SEEDS, "held_out_seeds": HELD_OUT_SEEDS, "goal": GOAL, "met": True}
    for name in asked(PARTS):
        figures = told[name] = PARTS[name]()
        if name == "cost":
            told["met"] &= figures["ratio"] <= figures["ceiling"]
        elif name != "speed":
            told["met"] &= all(min(each["precision"], each["recall"]) >= GOAL for each in figures.values())
    return told


def speed() -> dict[str, Any]:
    """`live_ratio`, `settle_ratio` = of the speed at which the events can be read at all."""
    deliveries = notes(COUNT)
    with scratch_run() as run:
        store(run.pk, "run", enrolments(64))
        mind, live = Deriver(run.pk), 0.0
        for start in range(0, COUNT, WAKE):
            store(run.pk, "board", deliveries[start : start + WAKE])
            began = time.perf_counter()
            mind.wake()
            live += time.perf_counter() - began
        began = time.perf_counter()
        equal = settle(run.pk, mind.live_hash()) == mind.live_hash()
        settled = time.perf_counter() - began
        began = time.perf_counter()
        count = sum(1 for _ in canonical(run.pk))
        reading = time.perf_counter() - began
        changes = Stream.of(run.pk).c
    told = {"events": count, "changes": changes, "live_equals_settled": equal, "read_per_s": round(count / reading)}
    told |= {"live_per_s": round(count / live), "settle_per_s": round(count / settled)}
    return {**told, "live_ratio": round(reading / live, 3), "settle_ratio": round(reading / settled, 3)}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "plain": compare,
    "third": lambda: compare(HELD_OUT_SEEDS, "third", HELD_OUT_FROM),
    "held_out": lambda: compare(HELD_OUT_SEEDS, "held_out", HELD_OUT_FROM),
    "fresh": lambda: compare(HELD_OUT_SEEDS, "fresh", FRESH_FROM),
    "cost": cost,
    "speed": speed,
}
