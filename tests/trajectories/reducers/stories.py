"""Reads `tests/stories/`: each folder is a small run and the State expected of it.

`events.jsonl` (one event a line: `t` in seconds, source, kind, worker or actor, fields; seq and id count lines of a source)
or `deliveries.jsonl` (raw deliveries, parsed by their source); `expect.json`: `about` in one sentence, `at` in seconds, and
`tables`: the fields that must hold, null for a row that must not be there, `{}` for a table that must be empty.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.trajectories.reducers.team import START
from trajectories.events import Event, millis
from trajectories.sources import source
from trajectories.sources.base import RawDelivery, Skipped

ROOT = Path(__file__).parents[2] / "stories"
STORIES = sorted(folder.name for folder in ROOT.iterdir() if folder.is_dir())


def expected(name: str) -> dict[str, Any]:
    """What the story comes to."""
    found: dict[str, Any] = json.loads((ROOT / name / "expect.json").read_text())
    return found


def events(name: str) -> list[Event]:
    """The events of a story, in the order of its file."""
    told = ROOT / name / "events.jsonl"
    if told.exists():
        count: Counter[str] = Counter()
        return [_event(json.loads(line), count) for line in told.read_text().splitlines()]
    lines = (ROOT / name / "deliveries.jsonl").read_text().splitlines()
    return [event for line in lines for event in _parsed(json.loads(line))]


def _event(line: dict[str, Any], count: Counter[str]) -> Event:
    count[line["source"]] += 1
    seq = count[line["source"]]
    return Event(
        at=START + round(line["t"] * 1000),
        source=line["source"],
        seq=seq,
        id=line.get("id", str(seq)),
        part=0,
        kind=line["kind"],
        worker=line.get("worker"),
        actor=line.get("actor"),
        fields=line["fields"],
    )


def _parsed(line: dict[str, Any]) -> list[Event]:
    times = {name: millis(line[name]) for name in ("at", "received_at")}
    body = RawDelivery(line["id"], line["seq"], times["at"], times["received_at"], line["body"], line["headers"])
    parsed = source(line["source"]).parse(body)
    assert not isinstance(parsed, Skipped), parsed.reason
    return list(parsed)
