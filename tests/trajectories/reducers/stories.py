"""Reads `tests/stories/`: each folder is a small run and the State expected of it.

`deliveries/<source>.jsonl`: raw deliveries, parsed by their source. `expect.json`: `about` in one sentence, and `moments` in order
of time, each with `at` in seconds and `tables`: the fields that must hold, null for a row that must not be there, `{}` for a table
that must be empty.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajectories.events import Event, millis
from trajectories.sources import source
from trajectories.sources.base import RawDelivery, Skipped

ROOT = Path(__file__).parents[2] / "stories"
STORIES = sorted(folder.name for folder in ROOT.iterdir() if (folder / "expect.json").exists())


def expected(name: str) -> dict[str, Any]:
    """What the story comes to."""
    found: dict[str, Any] = json.loads((ROOT / name / "expect.json").read_text())
    return found


def events(name: str) -> list[Event]:
    """The events of a story, in the order of its file."""
    files = sorted((ROOT / name / "deliveries").glob("*.jsonl"))
    lines = [(file.stem, json.loads(line)) for file in files for line in file.read_text("utf-8").splitlines()]
    return [event for source, line in lines for event in _parsed(source, line)]


def _parsed(name: str, line: dict[str, Any]) -> list[Event]:
    times = {name: millis(line[name]) for name in ("at", "received_at")}
    body = RawDelivery(
        line["id"],
        line["seq"],
        times["at"],
        times["received_at"],
        line["body"],
        line["headers"],
        line.get("skew_ms", 0),
    )
    parsed = source(name).parse(body)
    return [] if isinstance(parsed, Skipped) else list(parsed)
