"""Writes change logs of lively runs as JSON for fold.test.mjs: `python tests/js/fold_log.py SEED [SEED ..]`.

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

from tests.trajectories.reducers.team import busy, waves
from trajectories.events import order_key
from trajectories.reducers import Change, Fold, Trail, state_json


def records(changes: list[Change], after: int = 0) -> list[list[Any]]:
    """As they are stored."""
    return [[after + place, *change] for place, change in enumerate(changes, 1)]


def log(seed: int) -> dict[str, Any]:
    """One run."""
    events = sorted(busy(seed).events, key=order_key)
    fold, trail = Fold(), Trail()
    told: list[Change] = []
    keyframe: dict[str, Any] = {}
    for place, event in enumerate(events):
        if place == len(events) // 2:
            keyframe = {"c": len(told), "tables": state_json(fold)["tables"]}
        told += fold.take(event)
    late: list[Change] = []
    for batch in waves(events, random.Random(seed)):
        late += trail.take(batch)
    return {"hash": fold.hash(), "changes": records(told), "keyframe": keyframe, "late": records(late)}


if __name__ == "__main__":
    json.dump([log(int(seed)) for seed in sys.argv[1:]], sys.stdout)
