"""Recordings of real agent CLIs as the items of a worker's life."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajectories.transcripts.entries import Entries
from trajectories.transcripts.items import Item

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "acp"


def messages(name: str) -> list[dict[str, Any]]:
    """The lines of a recording."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def recorded(name: str) -> list[dict[str, Any]]:
    """The entries of a recording, whole."""
    lines = messages(name)
    fold = Entries(1, 0, len(lines), None)
    for n, line in enumerate(lines, 1):
        fold.take(Item(n, round(line["t"] * 1000), line["dir"], 1, 1, line["msg"]))
    return fold.finished()


def told(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The entries of one kind."""
    return [row for row in rows if row["kind"] == kind]
