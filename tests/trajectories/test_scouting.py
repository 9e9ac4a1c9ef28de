"""The scout knows from which time on nothing of a bundle is still to be read, and says nothing where it cannot know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajectories.bundle.scouting import Scout
from trajectories.events import iso

START = 1_800_000_000_000
LATEST = 1 << 62


def test_it_says_when_the_earliest_was_that_is_still_to_come(tmp_path: Path) -> None:
    scout = _scout(tmp_path, run=[0, 10, 20], acp=[5, 30, 7, 40])
    assert scout.nothing_before({}) == START
    assert scout.nothing_before({"run": 3}) == START + 5
    assert scout.nothing_before({"run": 1, "acp": 1}) == START + 7
    assert scout.nothing_before({"run": 3, "acp": 3}) == START + 40
    assert scout.nothing_before({"run": 3, "acp": 4}) == LATEST


def test_empty_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    scout = _scout(tmp_path, run=[0, None, 20])
    assert scout.nothing_before({"run": 1}) == scout.nothing_before({"run": 2}) == START + 20


def test_it_says_nothing_of_lines_that_are_not_as_ours(tmp_path: Path) -> None:
    scout = _scout(tmp_path, run=[0], board=['{"body":{},"id":"1"}'])
    assert scout.nothing_before({"run": 1, "board": 1}) is None


def _scout(folder: Path, **sources: list[Any]) -> Scout:
    (folder / "deliveries").mkdir()
    head = {"format": "agensh-run", "version": 1, "origin": "simulated", "scripted": True, "run": {"slug": "s"}}
    (folder / "manifest.json").write_text(json.dumps(head))
    for source, lines in sources.items():
        (folder / "deliveries" / f"{source}.jsonl").write_text("".join(f"{_line(each)}\n" for each in lines))
    scout = Scout(folder)
    scout.thread.join(10)
    assert not scout.thread.is_alive()
    return scout


def _line(said: Any) -> str:
    if said is None or isinstance(said, str):
        return said or ""
    at = iso(START + said)
    return json.dumps({"id": str(said), "seq": 1, "at": at, "received_at": at, "body": {}}, separators=(",", ":"))
