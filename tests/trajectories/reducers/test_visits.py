"""An event costs what it concerns, not how long the run is: the rows that reducers look at are counted."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runs.simulate import simulate
from trajectories.bench.planted import events
from trajectories.events import Event, order_key
from trajectories.reducers import Fold
from trajectories.reducers import fold as folding
from trajectories.reducers.state import State

MOST = 250  # rows that any one event may look at, whatever the run
#: These look after all workers, branches or open items, and say so in their README.
WHOLE_TEAM = frozenset(["run.ticked", "run.ended", "refs.observed", "run.phase_changed"])


class Counted(dict[Any, Any]):
    """A table that counts the rows looked at; going through it looks at all."""

    visits = 0

    def __getitem__(self, key: Any) -> Any:
        Counted.visits += 1
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        Counted.visits += 1
        return super().get(key, default)

    def __iter__(self) -> Iterator[Any]:
        Counted.visits += len(self)
        return super().__iter__()

    def keys(self) -> Any:
        Counted.visits += len(self)
        return super().keys()

    def values(self) -> Any:
        Counted.visits += len(self)
        return super().values()

    def items(self) -> Any:
        Counted.visits += len(self)
        return super().items()


class CountedState(State):
    """A State of counted tables."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = {table: Counted() for table in self.tables}


def visits(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Rows looked at by each event, by kind."""
    monkeypatch.setattr(folding, "State", CountedState)
    fold, found = Fold(), {}
    for event in told:
        before = Counted.visits
        fold.take(event)
        found.setdefault(event.kind, []).append(Counted.visits - before)
    assert fold.faults == []
    return found


def team_of(hours: float, folder: Path) -> list[Event]:
    simulate(16, hours, 3, folder)
    return sorted(events(folder), key=order_key)


def test_what_an_event_looks_at_does_not_grow_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = visits(team_of(0.6, tmp_path / "short"), monkeypatch)
    long = visits(team_of(4.0, tmp_path / "long"), monkeypatch)
    grown = Counter({kind: len(each) for kind, each in long.items()})
    assert grown["note.posted"] > 5 * len(short["note.posted"])
    for kind, each in long.items():
        if kind not in WHOLE_TEAM:
            assert max(each) <= MOST, kind
        if kind in short and len(short[kind]) > 40:
            assert statistics.mean(each) <= 1.6 * statistics.mean(short[kind]) + 3, kind


def test_a_loop_over_a_table_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "State", CountedState)
    fold = Fold()
    for number in range(300):
        fold.state.put("notes", number)
    before = Counted.visits
    list(fold.tables["notes"].values())
    assert Counted.visits - before > MOST
