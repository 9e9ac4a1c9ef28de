"""What a pack says at a glance: its whole steps as columns, all else of it as rows. Settling reads this, not the events one by one.

A step is whole where its start and its end are in one pack and no other event of the pack speaks of it. As JSON: `[steps, began, spans, places,
failed, rows]`. Whole steps come in order of their ends; `began` and `places`, those of their starts among the pack's numbers, are differences to the step
before, `spans` lengths; `failed` = `[index of the step, item, part, fields of the start]` of those that failed, `rows` the pack's other rows.
"""

from __future__ import annotations

from operator import itemgetter, le, sub
from typing import Any, NamedTuple

Told = list[list[Any]]  # `[n - first n, at, item, part, kind, fields]`
Failed = tuple[int, str, dict[str, Any]]
_order = itemgetter(1, 2, 3)  # time, item and part: the canonical order inside a life


class Whole(NamedTuple):
    """The whole steps of a pack, in order of their ends: columns of equal length. Times are ms.

    `failed`: (index of the step, reference of its end, fields of its start) of those that failed, in the same order.
    """

    worker: int
    life: int
    steps: list[str]
    began: list[int]
    ended: list[int]
    numbers: list[int]
    failed: list[Failed]


def glance(told: Told) -> list[Any]:
    """Of a pack's rows. Where they speak of a step in any other way than once from start to end, all of them are given as rows."""
    times = [row[1] for row in told]
    rows = told if all(map(le, times, times[1:])) else sorted(told, key=_order)
    open_: dict[Any, Any] = {}  # step -> the row of its start; None once it has ended
    steps: list[str] = []
    began: list[int] = []
    spans: list[int] = []
    places: list[int] = []
    failed: list[list[Any]] = []
    rest: Told = []
    for row in rows:
        kind = row[4]
        if kind == "step.started":
            step = row[5].get("step")
            if type(step) is not str or step in open_:
                return [[], [], [], [], [], told]
            open_[step] = row
        elif kind == "step.finished":
            fields = row[5]
            step, bad = fields.get("step"), fields.get("status") == "failed"
            if type(step) is not str or (step in open_ and open_[step] is None) or ("error" in fields and not bad):
                return [[], [], [], [], [], told]
            start = open_.get(step)
            open_[step] = None
            if start is None:
                rest.append(row)
                continue
            if bad:
                failed.append([len(steps), row[2], row[3], start[5]])
            steps.append(step)
            began.append(start[1])
            spans.append(row[1] - start[1])
            places.append(start[0])
        else:
            rest.append(row)
    rest += [row for row in open_.values() if row is not None]
    return [steps, _differences(began), spans, _differences(places), failed, rest]


def _differences(values: list[int]) -> list[int]:
    return list(map(sub, values, [0, *values[:-1]]))
