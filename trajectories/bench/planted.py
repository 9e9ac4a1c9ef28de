"""What the reducers find beside what a simulated run planted: precision and recall of every kind, with the misses.

The simulator writes its ground truth to a file of its own, by its own book-keeping; the fold gets the deliveries and nothing else.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from runs.simulate import simulate
from trajectories.bench.parts import say
from trajectories.events import Event, millis, order_key
from trajectories.reducers import Fold
from trajectories.sources import source
from trajectories.sources.base import RawDelivery, Skipped

SEEDS, WORKERS, HOURS = 20, 40, 2.5
HELD_OUT_SEEDS, HELD_OUT_FROM, FRESH_FROM = 20, 501, 1001
GOAL = 0.95
MOST_MISSES = 12  # listed of each kind

Facts = set[tuple[Any, ...]]


def events(bundle: Path) -> Iterator[Event]:
    """The events of a bundle's folder, source by source."""
    for file in sorted((bundle / "deliveries").glob("*.jsonl")):
        parse = source(file.stem).parse
        with file.open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                at, received = millis(line["at"]), millis(line["received_at"])
                told = parse(RawDelivery(line["id"], line["seq"], at, received, line["body"], line["headers"]))
                if not isinstance(told, Skipped):
                    yield from told


def planted(path: Path) -> dict[str, Facts]:
    """The ground truth by kind, as tuples that can be compared."""
    facts: dict[str, Facts] = {kind: set() for kind in FOUND}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        told = json.loads(line)
        kind = told["kind"]
        if kind == "overlap":
            pair = tuple(sorted(told["claims"]))
            facts["overlap"].add(pair)
            if told["settled"]:
                facts["settlement"].add((*pair, told["loser"], told["how"]))
        else:
            facts[kind].add(_SHAPES[kind](told))
    return facts


def _columns(*names: str) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return lambda row: tuple(row[name] for name in names)


_SHAPES: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "withdrawal": _columns("pull", "reviewer"),
    "integrator": _columns("worker"),
    "coordinator": _columns("worker"),
    "trusted": _columns("author", "reviewer"),
    "recovery": _columns("lost", "worker"),
    "repeated_fail": _columns("claim", "worker", "knowing"),
    "hand_over": _columns("pull"),
    "contradiction": _columns("pull", "reviewer"),
    "conflict": _columns("pull"),
    "interface": lambda told: tuple(told["workers"]),
    "protocol": lambda told: ("converged",),
}


def _knowing(row: dict[str, Any]) -> bool:
    return row["shown_at"] is not None and row["shown_at"] <= row["began_at"]


def _agreed(fold: Fold) -> Facts:
    """The table keeps references; who agreed is in the reducer's own memory of what it counted."""
    return {(one, other) for one, other, _ in fold.state.index("agreements.done")}


#: kind -> what the State says of it
FOUND: dict[str, Callable[[Fold], Facts]] = {
    "overlap": lambda f: {(row["claim"], row["other"]) for row in f.tables["overlaps"].values()},
    "settlement": lambda f: {
        (row["claim"], row["other"], row["loser"], row["settled_how"])
        for row in f.tables["overlaps"].values()
        if row["status"] == "settled"
    },
    "withdrawal": lambda f: {
        (row["pull"], row["reviewer"])
        for row in f.tables["reviews"].values()
        if row["status"] == "withdrawn" and row["verdict"] == "approved" and row["reviewer"] != row["author"]
    },
    "integrator": lambda f: {(row["worker"],) for row in f.tables["roles"].values() if row["role"] == "integrator"},
    "coordinator": lambda f: {(row["worker"],) for row in f.tables["roles"].values() if row["role"] == "coordinator"},
    "trusted": lambda f: {
        (row["author"], row["reviewer"]) for row in f.tables["trust"].values() if row["since"] is not None
    },
    "recovery": lambda f: {
        (row["from_claim"], row["to_worker"]) for row in f.tables["recoveries"].values() if row["status"] == "landed"
    },
    "repeated_fail": lambda f: {
        (row["claim"], row["worker"], _knowing(row))
        for row in f.tables["waste"].values()
        if row["kind"] == "repeated_fail"
    },
    "hand_over": lambda f: {
        (row["pull"],) for row in f.tables["handovers"].values() if row["status"] == "landed" and row["cancelled"]
    },
    "contradiction": lambda f: {
        (row["pull"], row["reviewer"]) for row in f.tables["reviews"].values() if row["contradicted_by"] is not None
    },
    "conflict": lambda f: {(row["number"],) for row in f.tables["pulls"].values() if row["conflicts"]},
    "interface": _agreed,
    "protocol": lambda f: {("converged",)} if "protocol_standardised" in f.tables["behaviours"] else set(),
}


def one(
    seed: int, folder: Path, workers: int = WORKERS, hours: float = HOURS, wording: str = "plain"
) -> tuple[dict[str, Facts], Fold]:
    """What a seed planted, and the State its deliveries come to."""
    bundle, truth = folder / f"seed-{seed}", folder / f"seed-{seed}.planted.jsonl"
    simulate(workers, hours, seed, bundle, planted=truth, wording=wording)
    fold = Fold()
    for event in sorted(events(bundle), key=order_key):
        fold.take(event)
    assert fold.faults == [], fold.faults[:3]
    return planted(truth), fold


def both(seed: int, wording: str) -> dict[str, tuple[Facts, Facts]]:
    """What a seed planted, and what was found of it, by kind."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        truth, fold = one(seed, Path(folder), wording=wording)
    return {kind: (truth[kind], found(fold)) for kind, found in FOUND.items()}


def compare(seeds: int = SEEDS, wording: str = "plain", first: int = 1) -> dict[str, dict[str, Any]]:
    """By kind: planted, found, right, `precision`, `recall`, and the first misses and inventions, each with its seed.

    Of the wording that is held out no misses are listed: whoever reads them would write rules for them.
    """
    kinds: dict[str, dict[str, Any]] = {
        kind: {"planted": 0, "found": 0, "right": 0, "missed": [], "invented": []} for kind in FOUND
    }
    numbers = range(first, first + seeds)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:  # nothing here is timed
        for seed, facts in zip(numbers, pool.map(both, numbers, repeat(wording)), strict=True):
            for kind, (truth, found) in facts.items():
                _count(kinds[kind], seed, truth, found)
            say(f"{wording}: seed {seed}, {seed - first + 1} of {seeds}")
    for told in kinds.values():
        told["precision"] = round(told["right"] / told["found"], 4) if told["found"] else 1.0
        told["recall"] = round(told["right"] / told["planted"], 4) if told["planted"] else 1.0
        if wording == "held_out":
            del told["missed"], told["invented"]
    return kinds


def _count(told: dict[str, Any], seed: int, truth: Facts, found: Facts) -> None:
    told["planted"] += len(truth)
    told["found"] += len(found)
    told["right"] += len(truth & found)
    for name, wrong in (("missed", truth - found), ("invented", found - truth)):
        told[name] += [[seed, *each] for each in sorted(wrong, key=str)][: MOST_MISSES - len(told[name])]
