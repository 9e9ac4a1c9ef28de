"""A sheet has the same columns of the same kinds in every run, and in one in which nothing of it happened."""

from __future__ import annotations

import csv
import io

import pyarrow.parquet as pq
import pytest

from tests.trajectories.export.taken import T0, derived, taken
from tests.trajectories.reducers.stories import STORIES, events
from tests.trajectories.reducers.team import fold_of
from tests.trajectories.told import hear, new_run, run_event
from trajectories.derive import Deriver
from trajectories.export import READINGS, Filters
from trajectories.export.columns import COLUMNS
from trajectories.export.readings import rows_of
from trajectories.newest import newest
from trajectories.reducers import TABLES

# Columns that name people: a number of the team, a name of somebody outside it.
PEOPLE = {"worker", "author", "reviewer", "merged_by", "peer", "answered_by", "landed_by"}


def test_every_table_of_the_state_is_declared_with_its_columns_in_order() -> None:
    assert {name: list(COLUMNS[name]) for name in TABLES} == {name: [t.key, *t.blank] for name, t in TABLES.items()}


def test_no_story_puts_another_kind_of_value_into_a_column() -> None:
    other = [
        f"{story}: {name}.{column} holds {value!r}"
        for story in STORIES
        for name, rows in fold_of(events(story))[0].tables.items()
        for row in rows.values()
        for column, kind in COLUMNS[name].items()
        if (value := row.get(column)) is not None and type(value) is not kind
        if not (column in PEOPLE and isinstance(value, str))
    ]
    assert other == []


@pytest.mark.django_db
def test_every_row_of_a_reading_has_the_declared_columns_in_order() -> None:
    run = derived()
    told = {name: rows_of(run, newest(run), name, Filters()) for name in READINGS}
    assert {name for name, rows in told.items() if not rows} <= {"team.withdrawn", "team.handovers", "team.waste"}
    for name, rows in told.items():
        for row in rows:
            assert list(row) == list(COLUMNS[name]), name
            for column, value in row.items():
                kinds = (int, float) if COLUMNS[name][column] is float else COLUMNS[name][column]
                assert value is None or isinstance(value, kinds), f"{name}.{column} holds {value!r}"


@pytest.mark.django_db
def test_a_run_without_any_of_it_has_the_same_header_and_schema_as_one_with_it() -> None:
    full, bare = derived(), new_run("bare")
    hear(bare, [("run", run_event(1, "run.started", T0))])
    Deriver(bare.pk).wake()
    for name in COLUMNS:
        heads = [next(csv.reader(io.StringIO(taken(run, "csv", name).decode("utf-8-sig")))) for run in (full, bare)]
        assert heads == [list(COLUMNS[name])] * 2
        schemas = [pq.read_schema(io.BytesIO(taken(run, "parquet", name))) for run in (full, bare)]
        assert schemas[0].equals(schemas[1]), name
