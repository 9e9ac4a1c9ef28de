"""Our own deliveries with what must be read from them: `tests/fixtures/sources/<name>/<event>__<situation>.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajectories.events import iso
from trajectories.sources.base import Parsed, RawDelivery, Skipped

FOLDER = Path(__file__).parents[2] / "fixtures" / "sources"


def situations(name: str) -> list[str]:
    """The names of a source's fixtures."""
    return sorted(path.stem for path in (FOLDER / name).glob("*.json"))


def situation(name: str, stem: str) -> tuple[RawDelivery, dict[str, Any]]:
    """The delivery and the expectation: `skipped` or `events`."""
    told = json.loads((FOLDER / name / f"{stem}.json").read_text("utf-8"))
    delivery = RawDelivery("fixture", 42, 1795946700000, 1795946700100, told["body"], told["headers"])
    return delivery, told


def shown(parsed: Parsed) -> dict[str, Any]:
    """What was read, as the fixtures write it."""
    if isinstance(parsed, Skipped):
        return {"skipped": parsed.reason}
    events = []
    for event in parsed:
        fields = {key: value for key, value in event.fields.items() if key != "fingerprint"}
        said_at = None if event.said_at is None else iso(event.said_at)
        events.append({"kind": event.kind, "actor": event.actor, "said_at": said_at, "fields": fields})
    return {"events": events}


def expected(told: dict[str, Any]) -> dict[str, Any]:
    return {key: told[key] for key in ("skipped", "events") if key in told}
