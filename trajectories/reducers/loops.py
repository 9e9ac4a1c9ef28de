"""Loops: a worker whose last tool calls are one and the same call, failing every time.

Like every tally this never rewinds: its row of `attention` is what the steps up to the present boundary come to, set anew at
every boundary, for every late step and after every undo.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable
from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.ahead import Steps
from trajectories.reducers.attention_kinds import KINDS, LOOPING, item
from trajectories.reducers.fields import Fields, stamp, text
from trajectories.reducers.lives import Life
from trajectories.reducers.rules import Limits, rule
from trajectories.reducers.speakers import Speakers
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

#: (at, reference, title, life) of a call that failed
Failure = tuple[int, str, str, int]
#: `end_of(worker, life)`: from when a life counts no more
EndOf = Callable[[int, int], int]


class Loops:
    """Failures by worker, and the times of calls that went well with the life that made them (`Life.wells`); both in order of time.

    Old ones are dropped but for those that a present run of failures holds. `watched` are the workers that have a row or may get one:
    two failures one after the other, or a step told out of order.
    """

    def __init__(self, state: State, speakers: Speakers) -> None:
        self.state = state
        self.speakers = speakers
        self.limits = Limits(state)
        self.failures: dict[int, list[Failure]] = {}
        self.watched: set[int] = set()
        self._shown: set[int] = set()  # workers that have a row
        self._titles: dict[str, str] = {}  # step -> title, until it ends, where a life has several open
        self._early: dict[str, tuple[int, int, str, bool, int]] = {}  # step -> an end told before its start

    def add(self, event: Event, worker: int, life: Life) -> None:
        """A step began or ended."""
        fields = event.fields
        step = fields.get("step")
        if type(step) is not str:
            step = ""
        if event.kind == "step.started":
            title = _title(fields)
            early = self._early.pop(step, None) if self._early else None
            if early is not None:
                named, at, ref, well, number = early
                self._end(named, self.speakers.begun(named, number), at, ref, title, well)
            elif life.step is None or life.step == step:
                life.step, life.title = step, title
            else:
                self._titles[step] = title
            return
        well = fields.get("status") != "failed"
        if life.step == step:
            title, life.step = life.title, None
        else:
            if step not in self._titles:
                self._early[step] = (worker, event.at, "" if well else event.ref, well, life.number)
                return
            title = self._titles.pop(step)
        self._end(worker, life, event.at, "" if well else event.ref, title, well)

    def failed(self, worker: int, life: Life, at: int, ref: str, fields: Fields) -> None:
        """A step with these fields at its start failed."""
        self._end(worker, life, at, ref, _title(fields), False)

    def meets(self, steps: Steps) -> bool:
        """An end told before its start, or a start still open, is of one of these steps: they have to be told one by one."""
        return not (self._early.keys().isdisjoint(steps.steps) and self._titles.keys().isdisjoint(steps.steps))

    def _end(self, worker: int, life: Life, at: int, ref: str, title: str, well: bool) -> None:
        wells, failures = life.wells, self.failures.get(worker)
        late = bool(wells and at < wells[-1]) or bool(failures and at < failures[-1][0])
        if well:
            if wells and at < wells[-1]:
                insort(wells, at)
            else:
                wells.append(at)
        else:
            if failures is None:
                failures = self.failures[worker] = []
            insort(failures, (at, ref, title, life.number))
            late = late or (len(failures) > 1 and not (len(wells) and wells[-1] > failures[-2][0]))
        if late:
            self.watched.add(worker)

    def show(self, worker: int, bound: int, end_of: EndOf) -> None:
        """Put or drop the worker's row."""
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

    def _run(self, worker: int, bound: int, end_of: EndOf) -> list[Failure]:
        failures, since = self.failures.get(worker, []), self._well(worker, bound, end_of)
        run: list[Failure] = []
        for place in range(bisect_right(failures, (bound + 1,)) - 1, -1, -1):
            each = failures[place]
            if each[0] >= end_of(worker, each[3]):
                continue
            if each[0] < since or (run and each[2] != run[-1][2]):
                break
            run.append(each)
        return run[::-1]

    def _well(self, worker: int, bound: int, end_of: EndOf) -> int:
        """When a call last went well, up to a boundary."""
        latest = -1
        for number, life in self.speakers.of(worker):
            place = bisect_right(life.wells, min(bound, end_of(worker, number) - 1))
            if place and life.wells[place - 1] > latest:
                latest = life.wells[place - 1]
        return latest

    def settle(self, horizon: int, end_of: EndOf) -> None:
        """No boundary before the horizon will be asked for again."""
        for worker, failures in self.failures.items():
            if failures and failures[0][0] < (since := self._well(worker, horizon, end_of)):
                del failures[: bisect_right(failures, (since,))]
        for life in self.speakers:
            if len(life.wells) > 1 and (place := bisect_right(life.wells, horizon)) > 1:
                del life.wells[: place - 1]
        for worker in self.watched - self._shown:
            if len(self.failures.get(worker, ())) < _LEAST:
                self.watched.discard(worker)

    def dump(self) -> list[Any]:
        """As JSON: ends by worker, of calls that went well the time and the life; titles of open steps; early ends."""
        ends: dict[int, list[tuple[Any, ...]]] = {
            worker: [(at, ref, title, False, life) for at, ref, title, life in told]
            for worker, told in self.failures.items()
        }
        titles = dict(self._titles)
        for life in self.speakers:
            if life.step is not None:
                titles[life.step] = life.title
            if life.wells and isinstance(life.named, int):
                ends.setdefault(life.named, []).extend((at, "", "", True, life.number) for at in life.wells)
        told = [[worker, [list(each) for each in sorted(each)]] for worker, each in ends.items()]
        return [told, titles, {step: list(told) for step, told in self._early.items()}]

    def load(self, data: list[Any]) -> None:
        """From JSON, once the lives are known."""
        ends, titles, early = data
        for worker, told in ends:
            self.failures[worker] = [(at, ref, title, life) for at, ref, title, well, life in told if not well]
            for at, _, _, well, life in told:
                if well:
                    self.speakers.begun(worker, life).wells.append(at)
        rows = self.state.tables["attention"].values()
        self._shown = {int(str(row["worker"])) for row in rows if row["kind"] == LOOPING}
        self.watched = {worker for worker, told in self.failures.items() if told}
        self._titles, self._early = dict(titles), {step: tuple(told) for step, told in early.items()}


def _title(fields: Fields) -> str:
    title = fields.get("title")
    return title[:_TITLE] if type(title) is str and title else text(fields, "tool", _TITLE)
