"""Every story comes to what it is expected to, in whatever order its events arrive."""

from __future__ import annotations

import random

import pytest

from tests.trajectories.reducers.lively import waves
from tests.trajectories.reducers.stories import STORIES, events, expected
from tests.trajectories.reducers.team import START, fold_of
from trajectories.reducers import Trail, state_json


@pytest.mark.parametrize("name", STORIES)
def test_a_story_comes_to_its_end(name: str) -> None:
    story = expected(name)
    fold, _ = fold_of(events(name))
    fold.advance(START + round(story["at"] * 1000))
    assert fold.faults == []
    tables = state_json(fold)["tables"]
    for table, rows in story["tables"].items():
        if not rows:
            assert tables[table] == {}, table
        for key, fields in rows.items():
            if fields is None:
                assert key not in tables[table]
                continue
            row = tables[table].get(key)
            assert row is not None, f"{table} has no {key}: {list(tables[table])}"
            assert {field: row[field] for field in fields} == fields, f"{table} {key}"


@pytest.mark.parametrize("name", STORIES)
def test_a_story_means_the_same_however_it_arrives(name: str) -> None:
    plain, _ = fold_of(events(name))
    for seed in range(5):
        trail = Trail()
        for batch in waves(events(name), random.Random(seed)):
            trail.take(batch)
        assert trail.fold.tables == plain.tables


@pytest.mark.parametrize("name", STORIES)
def test_a_story_says_in_one_sentence_what_it_is_about(name: str) -> None:
    assert expected(name)["about"].endswith(".")
    assert name == name.lower() and " " not in name
