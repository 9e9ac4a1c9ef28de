"""Changes: what an event did to the State. A stored record is `[c, at, ref, op, table, key, fields]`."""

from __future__ import annotations

from typing import NamedTuple

from trajectories.reducers.tables import Key, Row


class Change(NamedTuple):
    """One row changed. `at` is in milliseconds; `op` is `put` (set these fields, whole values) or `drop`.

    `ref` names the event that caused it (`source:id#part`); a timer's change names the event that set the timer.
    `fields` of a row's first put hold its every column; of a later put only those that changed; of a drop nothing.
    """

    at: int
    ref: str
    op: str
    table: str
    key: Key
    fields: Row
