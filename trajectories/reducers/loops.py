"""Loops: a worker whose last tool calls are one and the same call, failing every time.

Like every tally this never rewinds: its row of `attention` is what the steps up to the present boundary come to, set anew at
every boundary, for every late step and after every undo.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from itertools import pairwise
from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.attention_kinds import KINDS, LOOPING, item
from trajectories.reducers.fields import stamp, text
from trajectories.reducers.rules import Limits, rule
from trajectories.reducers.state import State

REPEATS = rule(
    "loop_failures",
    5,
    "calls",
    "A worker is looping when at least this many of its latest tool calls are the same call, failing.",
)
_TITLE: Final = 120
_LEAST: Final = 2  # one failure is no loop, whatever the rule is set to
_GONE: Final = frozenset(["dead", "ended"])

#: (at, reference, title, went well, life); of one that went well the time and the life alone matter
End = tuple[int, str, str, bool, int]


class Loops:
    """Per worker the ends of its steps, sorted; old ones are dropped but for those that a present run of failures holds.

    `watched` are the workers that have a row or may get one: two failures one after the other, or a step told out of order.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.limits = Limits(state)
        self.ends: dict[int, list[End]] = {}
        self.watched: set[int] = set()
        self._shown: set[int] = set()  # workers that have a row
        self._titles: dict[str, str] = {}  # step -> title, until it ends
        self._early: dict[str, tuple[int, int, str, bool, int]] = {}  # step -> an end told before its start

    def add(self, event: Event, worker: int, life: int) -> None:
        """A step began or ended."""
        fields = event.fields
        step = fields.get("step")
        if type(step) is not str:
            step = ""
        if event.kind == "step.started":
            title = fields.get("title")
            title = title[:_TITLE] if type(title) is str and title else text(fields, "tool", _TITLE)
            early = self._early.pop(step, None)
            if early is None:
                self._titles[step] = title
            else:
                self._end(early[0], (early[1], early[2], title, early[3], early[4]))
            return
        well = fields.get("status") != "failed"
        named = self._titles.pop(step, None)
        if named is None:
            self._early[step] = (worker, event.at, "" if well else event.ref, well, life)
        elif well:
            self._end(worker, (event.at, "", "", True, life))
        else:
            self._end(worker, (event.at, event.ref, named, False, life))

    def _end(self, worker: int, end: End) -> None:
        ends = self.ends.get(worker)
        if ends is None:
            ends = self.ends[worker] = []
        if ends and end < ends[-1]:
            insort(ends, end)
            self.watched.add(worker)
            return
        ends.append(end)
        if not end[3] and len(ends) > 1 and not ends[-2][3]:
            self.watched.add(worker)

    def show(self, worker: int, bound: int, end_of: Any) -> None:
        """Put or drop the worker's row. `end_of(worker, life)` = from when a life counts no more."""
        run = self._run(worker, bound, end_of)
        key, least = f"{LOOPING}:{worker}", max(_LEAST, self.limits.of(REPEATS))
        row = None
        status = self.state.tables["workers"].get(worker, {}).get("status")
        if len(run) >= least and status not in _GONE and not self.limits.closing:
            cause = f"{KINDS[LOOPING].cause} {run[0][2]}"
            row = item(LOOPING, cause, stamp(run[least - 1][0]), [each[1] for each in run], worker=worker)
        if row is None:
            self._shown.discard(worker)
        else:
            self._shown.add(worker)
        self.state.tally_row("attention", key, row)

    def _run(self, worker: int, bound: int, end_of: Any) -> list[End]:
        ends = self.ends.get(worker, [])
        run: list[End] = []
        for place in range(bisect_right(ends, (bound + 1,)) - 1, -1, -1):
            each = ends[place]
            if each[0] >= end_of(worker, each[4]):
                continue
            if each[3] or (run and each[2] != run[-1][2]):
                break
            run.append(each)
        return run[::-1]

    def settle(self, horizon: int) -> None:
        """No boundary before the horizon will be asked for again."""
        for ends in self.ends.values():
            place = bisect_right(ends, (horizon + 1,))
            if place > 1:
                first = place - 1
                while first > 0 and not ends[first][3] and not ends[first - 1][3]:
                    first -= 1
                if first:
                    del ends[:first]
        for worker in self.watched - self._shown:
            if not self._may_loop(self.ends.get(worker, [])):
                self.watched.discard(worker)

    def _may_loop(self, ends: list[End]) -> bool:
        """Two failures one after the other, anywhere among the ends that are kept."""
        return any(not one[3] and not other[3] for one, other in pairwise(ends))

    def dump(self) -> list[Any]:
        """As JSON."""
        ends = [[worker, [list(each) for each in ends]] for worker, ends in self.ends.items()]
        return [ends, self._titles, {step: list(told) for step, told in self._early.items()}]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        ends, titles, early = data
        self.ends = {worker: [tuple(each) for each in told] for worker, told in ends}
        rows = self.state.tables["attention"].values()
        self._shown = {int(str(row["worker"])) for row in rows if row["kind"] == LOOPING}
        self.watched = set(self.ends)
        self._titles, self._early = dict(titles), {step: tuple(told) for step, told in early.items()}
