"""What the events of a run mean: the pure State fold. No Django, no clock, no I/O.

The facade, and the whole of it:

    fold = Fold()                    empty State
    fold.take(event)  -> [Change]    one event of either kind: apply or tally
    fold.apply(event) -> [Change]    an ordered event; ordered events come in canonical order. Due timers fire first.
    fold.tally(event) -> [Change]    a tally (`is_tally(event.kind)`), in any order, each exactly once. Usually []: the sums
                                     enter the rows at the next run.ticked, turn.finished or run.ended. A tally that is
                                     late for a boundary already passed corrects the row at once and returns that put.
    fold.take_tallies(events) -> [Change]   the same for many at once
    fold.advance(at)  -> [Change]    fires timers due <= at: "State at T" = events with at <= T, then advance(T)

    mark = fold.mark()               a place to come back to; free (an undo journal), so take one before every event
    fold.rewind(mark) -> {(table, key)}   undo the ordered fold to that place, in place. Tallies stay: never hand them in
                                     again. Returns the rows touched by what was undone (compare, then re-apply).
    fold.forget(mark, at)            marks before this one (taken at `at`) will not be used again: frees their memory

    fold.snapshot() -> dict          everything, JSON-able, for a keyframe on disk
    Fold.restore(snapshot) -> Fold   equal to the Fold it was taken from (marks are not kept)
    fold.tables                      {table: {key: row}}; read only. Keys are int or str. Rows are flat, JSON values only
    fold.hash()                      the State hash; equal for equal events whatever their order of arrival
    state_json(fold, table=None)     {"hash", "rules_version", "tables": {table: {key as string: row}}}
    fold.offset_at                   `at` of run.started or None: the zero of t
    rows_hash(tables)                hash of a plain {table: {key: row}}

`Trail` drives a Fold with events in any order (sorts, rewinds, re-applies) and answers with the net changes:

    trail = Trail()                                   or Trail(fold) after Fold.restore
    trail.take(events) -> [Change]                    any order, any lateness, duplicates dropped: net puts and drops
    trail.fold                                        equals the fold of all events taken so far, in canonical order
    TooLate is raised (State untouched) when an ordered event lies before `trail.since`: fold again from a keyframe.

`RULES` lists every threshold for the page "How this is decided"; `NOT_YET_DERIVED` what no reducer fills yet.
"""

from __future__ import annotations

from trajectories.reducers.change import Change
from trajectories.reducers.fold import Fold, state_json
from trajectories.reducers.hashing import rows_hash
from trajectories.reducers.rules import NOT_YET_DERIVED, RULES, RULES_VERSION, Rule
from trajectories.reducers.tables import TABLES
from trajectories.reducers.trail import TooLate, Trail

__all__ = [
    "NOT_YET_DERIVED",
    "RULES",
    "RULES_VERSION",
    "TABLES",
    "Change",
    "Fold",
    "Rule",
    "TooLate",
    "Trail",
    "rows_hash",
    "state_json",
]
