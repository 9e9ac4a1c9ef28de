"""Writes change logs with their tile of statuses as JSON for statuses.test.mjs: `python tests/js/statuses_log.py SEED [SEED ..]`."""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ["AGENSH_DATA_DIR"] = tempfile.mkdtemp(prefix="agensh-js-")
os.environ["DJANGO_SETTINGS_MODULE"] = "agensh_web.settings"

import django

django.setup()

from tests.trajectories.reducers.lively import busy  # noqa: E402
from tests.trajectories.reducers.stories import STORIES, events  # noqa: E402
from trajectories.derive.lean import lean  # noqa: E402
from trajectories.derive.statuses import Statuses  # noqa: E402
from trajectories.events import Event, order_key  # noqa: E402
from trajectories.reducers import Fold, state_json  # noqa: E402


def log(told: list[Event]) -> dict[str, object]:
    """One run: its changes, the tile, the newest tables whole and lean."""
    fold, statuses, changes = Fold(), Statuses(), []
    for event in sorted(told, key=order_key):
        found = fold.take(event)
        statuses.take(found)
        changes += found
    records = [[place, *change] for place, change in enumerate(changes, 1)]
    place = {"generation": 2, "c": len(records), "n": len(told), "t0": fold.offset_at, "settled": True}
    tile = base64.b64encode(statuses.finish()).decode()
    return {
        "changes": records,
        "tile": tile,
        "tables": state_json(fold)["tables"],
        "lean": json.loads(lean(fold.tables, place)),
    }


if __name__ == "__main__":
    runs = [busy(int(seed)).events for seed in sys.argv[1:]] + [events(name) for name in STORIES]
    json.dump([log(told) for told in runs], sys.stdout)
