"""What the team had spent when a checkpoint was scored: the sums of that moment, kept so that late figures still enter."""

from __future__ import annotations

from typing import Any, Final

from trajectories.reducers.state import State
from trajectories.reducers.sums import Entry, Sums, usage_of

_MOST: Final = 20_000  # sums kept for all checkpoints together; the oldest checkpoints are let go first

Frozen = dict[int | str, dict[int, Sums]]


class Spent:
    """Owns the columns `tokens` and `cost_microusd` of the checkpoints, outside the journal like every tally."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.rows = state.tables["checkpoints"]
        self.scored = state.index("checkpoints.at")
        self.frozen: dict[Any, Frozen] = {}
        self._kept = 0  # sums in there
        self._newest = -1  # no checkpoint was scored after it
        self.totals: dict[Any, tuple[int, int, int]] = {}  # checkpoint -> tokens, cost, workers whose cost is known

    def keep(self, key: Any, sums: Frozen) -> None:
        """Score a checkpoint, or score it anew after an undo."""
        self._kept += _count(sums) - _count(self.frozen.get(key, {}))
        self.frozen[key] = sums
        self._newest = max(self._newest, self.scored.get(key, -1))
        while self._kept > _MOST and len(self.frozen) > 1:
            oldest = min(self.frozen, key=lambda each: self.scored.get(each, 0))
            self._kept -= _count(self.frozen.pop(oldest))
        tokens, paid, payers = 0, 0, 0
        for named in sums:
            spent, cost = self._usage(key, named)
            tokens, paid, payers = tokens + spent, paid + (cost or 0), payers + (cost is not None)
        self.totals[key] = (tokens, paid, payers)
        self._put(key)

    def late(self, at: int, entry: Entry, named: int | str, life: int) -> None:
        """A figure of before a checkpoint came after it."""
        if at > self._newest:
            return
        for key, when in self.scored.items():
            if when >= at and key in self.frozen:
                spent, cost = self._usage(key, named)
                self.frozen[key].setdefault(named, {}).setdefault(life, Sums()).add(at, entry)
                now, paid = self._usage(key, named)
                before = self.totals[key]
                payers = before[2] + (paid is not None) - (cost is not None)
                self.totals[key] = (before[0] + now - spent, before[1] + (paid or 0) - (cost or 0), payers)
                self._put(key)

    def _usage(self, key: Any, named: int | str) -> tuple[int, int | None]:
        fresh, _, out, cost = usage_of(list(self.frozen[key].get(named, {}).values()))
        return (fresh or 0) + (out or 0), cost

    def _put(self, key: Any) -> None:
        if key in self.rows:
            tokens, paid, payers = self.totals[key]
            self.state.tally("checkpoints", key, {"tokens": tokens, "cost_microusd": paid if payers else None})

    def dump(self) -> list[Any]:
        """As JSON."""
        return [
            [
                key,
                self.totals[key],
                [[named, life, sums.dump()] for named, lives in frozen.items() for life, sums in lives.items()],
            ]
            for key, frozen in self.frozen.items()
        ]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        for key, totals, told in data:
            self.totals[key] = tuple(totals)
            frozen = self.frozen[key] = {}
            for named, life, sums in told:
                frozen.setdefault(named, {})[life] = Sums.load(sums)
            self._kept += _count(frozen)
        self._newest = max(self.scored.values(), default=-1)


def _count(sums: Frozen) -> int:
    return sum(map(len, sums.values()))
