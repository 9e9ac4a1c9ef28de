"""Writes timeline segments as the server encodes them, with the rows they hold, as JSON for timeline.test.mjs."""

from __future__ import annotations

import base64
import json
import random
import runpy
import sys
from pathlib import Path

# By its path: the package around it wants Django, the format does not.
encode = runpy.run_path(str(Path(__file__).parents[2] / "trajectories" / "derive" / "agtl.py"))["encode"]

Row = tuple[int, int, int, int, int, int]
DAY_MS = 86_400_000


def rows(seed: int, count: int) -> list[Row]:
    """Rows in order of arrival: mostly rising, some late, some before the start, all corners of every column."""
    draw = random.Random(seed)
    at, found = -4000, []
    for n in range(1, count + 1):
        at += draw.choice([0, 0, 1, 40, 900, 70_000, -3000])
        long = draw.choice([0, 0, 127, 128, 16_384, 2_097_152, DAY_MS])
        found.append(
            (at, long, draw.choice([0, 1, 255, 256, 1024, 65_535]), draw.randrange(10), n * 3, draw.randrange(8))
        )
    return found


if __name__ == "__main__":
    told = [rows(seed, count) for seed, count in enumerate([0, 1, 2, 7, 8, 9, 1000], 1)]
    json.dump([{"rows": each, "bytes": base64.b64encode(encode(each)).decode()} for each in told], sys.stdout)
