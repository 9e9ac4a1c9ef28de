"""The order in which events arrive is no part of what they mean."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trajectories.reducers.lively import busy, waves
from tests.trajectories.reducers.team import fold_of
from trajectories.events import Event, order_key
from trajectories.reducers import RULES_VERSION, TABLES, Change, Fold, TooLate, Trail, rows_hash, state_json

SEEDS = st.integers(0, 10_000)


def shown(tables: dict, changes: list[Change]) -> None:
    """What a browser does with changes."""
    for change in changes:
        rows = tables[change.table]
        if change.op == "drop":
            rows.pop(change.key, None)
        else:
            rows[change.key] = {**rows.get(change.key, {}), **change.fields}


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_any_arrival_gives_the_state_of_the_in_order_fold(seed: int) -> None:
    events = busy(seed).events
    plain, _ = fold_of(events)
    trail = Trail()
    for batch in waves(events, random.Random(seed)):
        trail.take(batch)
    assert trail.fold.tables == plain.tables
    assert trail.fold.hash() == plain.hash()
    assert plain.faults == trail.fold.faults == []


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_at_every_moment_the_state_is_the_fold_of_what_has_arrived(seed: int) -> None:
    arrived: dict[tuple, Event] = {}
    trail = Trail()
    for batch in waves(busy(seed, moves=60).events, random.Random(seed)):
        trail.take(batch)
        arrived |= {order_key(event): event for event in batch}
        plain, _ = fold_of(list(arrived.values()))
        assert trail.fold.tables == plain.tables


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_the_changes_alone_rebuild_the_state(seed: int) -> None:
    tables: dict = {table: {} for table in TABLES}
    trail = Trail()
    for batch in waves(busy(seed).events, random.Random(seed)):
        shown(tables, trail.take(batch))
        assert tables == trail.fold.tables
    assert rows_hash(tables) == trail.fold.hash()


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, part=st.floats(0, 1))
def test_a_keyframe_goes_on_as_if_nothing_had_happened(seed: int, part: float) -> None:
    events = sorted(busy(seed).events, key=order_key)
    cut = int(len(events) * part)
    first, _ = fold_of(events[:cut])
    again = Fold.restore(json.loads(json.dumps(first.snapshot())))
    assert again.hash() == first.hash()
    for event in events[cut:]:
        assert again.take(event) == first.take(event)
    assert again.hash() == first.hash()


def test_an_event_older_than_the_window_is_refused_and_changes_nothing() -> None:
    team = busy(3, moves=3000)
    events = sorted(team.events, key=order_key)
    trail = Trail(window_ms=10_000)
    for event in events[:5] + events[6:]:
        trail.take([event])
    before = trail.fold.hash()
    with pytest.raises(TooLate):
        trail.take([events[5]])
    assert trail.fold.hash() == before


def test_one_table_or_all_of_them_have_one_hash() -> None:
    fold = busy(1).fold()
    whole, claims = state_json(fold), state_json(fold, "claims")
    assert whole["hash"] == claims["hash"]
    assert set(claims["tables"]) == {"claims"}
    assert set(whole["tables"]) == set(TABLES)
    for table, rows in whole["tables"].items():
        for key, row in rows.items():
            assert str(row[TABLES[table].key]) == key


def test_rows_hold_no_floats_and_every_column_of_their_table() -> None:
    for table, rows in busy(2).fold().tables.items():
        for row in rows.values():
            assert set(row) == {TABLES[table].key, *TABLES[table].blank}
            for value in row.values():
                for each in value if isinstance(value, list) else [value]:
                    assert each is None or type(each) in (int, str, bool)


@pytest.mark.parametrize("broken", [{}, {"rules_version": RULES_VERSION}, {"rules_version": 0, "tables": {}}])
def test_what_is_no_keyframe_of_these_rules_is_refused(broken: dict) -> None:
    with pytest.raises(ValueError, match="keyframe"):
        Fold.restore(broken)
