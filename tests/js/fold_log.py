"""Writes change logs of every story and of lively runs as JSON for fold.test.mjs: `python tests/js/fold_log.py SEED [SEED ..]`.

Each log: the records from the start, the final hash, a keyframe from the middle with the number of its last record, and
the records a trail gave for the same events arriving late, out of order and doubled.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.trajectories.reducers.lively import busy, waves
from tests.trajectories.reducers.stories import STORIES, events
from trajectories.events import Event, order_key
from trajectories.reducers import Change, Fold, Trail, state_json


def records(changes: list[Change], after: int = 0) -> list[list[Any]]:
    """As they are stored."""
    return [[after + place, *change] for place, change in enumerate(changes, 1)]


def log(told: list[Event], seed: int) -> dict[str, Any]:
    """One run."""
    ordered = sorted(told, key=order_key)
    fold, trail = Fold(), Trail()
    changes: list[Change] = []
    keyframe: dict[str, Any] = {}
    for place, event in enumerate(ordered):
        if place == len(ordered) // 2:
            keyframe = {"c": len(changes), "tables": state_json(fold)["tables"]}
        changes += fold.take(event)
    late: list[Change] = []
    for batch in waves(ordered, random.Random(seed)):
        late += trail.take(batch)
    return {"hash": fold.hash(), "changes": records(changes), "keyframe": keyframe, "late": records(late)}


if __name__ == "__main__":
    runs = [busy(int(seed)).events for seed in sys.argv[1:]] + [events(name) for name in STORIES]
    json.dump([log(told, seed) for seed, told in enumerate(runs)], sys.stdout)
