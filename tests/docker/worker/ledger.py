"""What became of every inbox item, from what the worker's lives said of their moves: lost, doubled, out of order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

STEPS = {
    None: {"stored"},
    "stored": {"leased"},
    "leased": {"shown", "stored"},
    "shown": {"acknowledged", "stored"},
    "acknowledged": set(),
}


@dataclass
class Ledger:
    """Of the notes that peers wrote: which were never acknowledged, which twice, and steps that no item may take."""

    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    shown: dict[int, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return not (self.lost or self.doubled or self.wrong)


def moves_of(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every move once, by its number; the number says which, so a move that two lives told is still one."""
    found: dict[int, dict[str, Any]] = {}
    for item in items:
        if item["dir"] == "loop" and item["msg"].get("kind") == "inbox.moved":
            move = {name: value for name, value in item["msg"].items() if name != "turn"}
            assert found.setdefault(move["move"], move) == move, "two moves have one number"
    assert sorted(found) == list(range(1, len(found) + 1)), "a move was never told"
    return [found[number] for number in sorted(found)]


def ledger(items: Iterable[dict[str, Any]], notes: list[int]) -> Ledger:
    """Play the moves of the feed `board` over the notes that were written for this worker."""
    result, state, passed = Ledger(), dict[int, str](), defaultdict(list)
    for move in moves_of(items):
        if move["feed"] != "board":
            continue
        meant = [note for note in notes if move["from"] <= note <= move["upto"]]
        if len(meant) != move["count"]:
            result.wrong.append(f"move {move['move']} says {move['count']} items, its range holds {len(meant)}")
        for note in meant:
            before = state.get(note)
            if move["state"] not in STEPS[before]:
                result.wrong.append(f"note {note}: {before} -> {move['state']}")
            state[note] = move["state"]
            passed[note].append(move)
    for note in notes:
        first = [move for move in passed[note] if move["via"] == "feed"]
        ends = [move for move in passed[note] if move["state"] == "acknowledged"]
        result.shown[note] = sum(move["state"] == "shown" for move in passed[note])
        if state.get(note) != "acknowledged":
            result.lost.append(note)
        if len(first) != 1 or len(ends) > 1:
            result.doubled.append(note)
    return result
