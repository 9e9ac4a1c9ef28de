"""Writes a timeline's columns and the overview the server makes of them as JSON for heat.test.mjs."""

from __future__ import annotations

import base64
import json
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ["AGENSH_DATA_DIR"] = tempfile.mkdtemp(prefix="agensh-js-")
os.environ["DJANGO_SETTINGS_MODULE"] = "agensh_web.settings"

import django

django.setup()

from trajectories.derive.overview import overview  # noqa: E402


def columns(seed: int, count: int) -> dict[str, list[int]]:
    """Steps and others of 40 workers, short and long, some before the start."""
    draw = random.Random(seed)
    time = sorted(draw.randrange(-5_000, 3_600_000) for _ in range(count))
    long = [draw.choice([0, 1, 300, 4_000, 90_000]) for _ in time]
    kind = [draw.choice([0, 0, 0, 1, 3]) for _ in time]
    return {
        "time": time,
        "duration": long,
        "worker": [draw.choice([1, 7, 40, 1024, draw.randrange(1, 60)]) for _ in time],
        "kind": kind,
        "n": list(range(count)),
        "flags": [draw.choice([0, 0, 0, 1, 4]) for _ in time],
    }


if __name__ == "__main__":
    told = [columns(seed, count) for seed, count in ((1, 0), (2, 1), (3, 6_000))]
    json.dump([{"columns": each, "tile": base64.b64encode(overview(each, 256)).decode()} for each in told], sys.stdout)
