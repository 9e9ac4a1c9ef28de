"""Every story comes to what it is expected to, in whatever order its events arrive."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from tests.trajectories.reducers.lively import waves
from tests.trajectories.reducers.stories import ROOT, STORIES, events, expected
from tests.trajectories.reducers.team import START, fold_of
from trajectories.events import order_key
from trajectories.reducers import Fold, Trail, state_json
from trajectories.reducers.attention_kinds import KINDS
from trajectories.reducers.behaviours import BEHAVIOURS
from trajectories.reducers.claims import PRECEDENCE
from trajectories.reducers.links import METHODS
from trajectories.reducers.reviews import VERDICTS
from trajectories.reducers.waste import WASTE


@pytest.mark.parametrize("name", STORIES)
def test_a_story_comes_to_what_is_expected_at_every_moment(name: str) -> None:
    waiting = sorted(events(name), key=order_key)
    fold = Fold()
    for moment in expected(name)["moments"]:
        until = START + round(moment["at"] * 1000)
        while waiting and waiting[0].at <= until:
            fold.take(waiting.pop(0))
        fold.advance(until)
        assert fold.faults == []
        _holds(state_json(fold)["tables"], moment["tables"], f"at {moment['at']} s")


def _holds(tables: dict[str, Any], wanted: dict[str, Any], when: str) -> None:
    for table, rows in wanted.items():
        if not rows:
            assert tables[table] == {}, f"{when}: {table}"
        for key, fields in rows.items():
            if fields is None:
                assert key not in tables[table], f"{when}: {table} {key}"
                continue
            row = tables[table].get(key)
            assert row is not None, f"{when}: {table} has no {key}: {list(tables[table])}"
            assert {field: row[field] for field in fields} == fields, f"{when}: {table} {key}"


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


#: table -> column -> every value it can take; the stories show each of them at some moment.
STATUSES: dict[str, dict[str, set[str]]] = {
    "workers": {
        "status": {"waiting", "working", "idle", "nudged", "stalled", "dead", "ended"},
        "phase": {"gather", "claim", "act", "verify", "merge"},
    },
    "nodes": {"status": {"up", "lost"}},
    "services": {"status": {"up", "exited", "unhealthy"}},
    "claims": {"status": {"live", *PRECEDENCE}, "linked_by": set(METHODS)},
    "overlaps": {"status": {"open", "settled", "ended"}, "settled_how": {"talk", "silence"}},
    "pulls": {"status": {"open", "merged", "closed"}, "conflict": {"true", "false", "unknown"}},
    "reviews": {"status": {"standing", "withdrawn", "dismissed", "stale"}, "verdict": set(VERDICTS)},
    "handovers": {"status": {"asked", "answered", "cancelled", "landed", "kept", "closed"}},
    "roles": {"role": {"implementer", "reviewer", "integrator", "recoverer", "coordinator"}},
    "recoveries": {
        "status": {"open", "taken_over", "landed"},
        "cause": {"failed", "abandoned", "expired", "crashed"},
    },
    "behaviours": {"name": set(BEHAVIOURS)},
    "waste": {"kind": set(WASTE)},
    "attention": {"kind": set(KINDS)},
}


def test_the_stories_show_every_status_of_every_table() -> None:
    shown: dict[str, dict[str, set[Any]]] = {table: {name: set() for name in each} for table, each in STATUSES.items()}
    for name in STORIES:
        for moment in expected(name)["moments"]:
            for table, rows in moment["tables"].items():
                for key, row in rows.items():
                    for column in STATUSES.get(table, {}) if row is not None else ():
                        shown[table][column].add(_said(table, column, key, row))
    missing = {
        (table, column): values - shown[table][column]
        for table, each in STATUSES.items()
        for column, values in each.items()
        if values - shown[table][column]
    }
    assert missing == {}


def _said(table: str, column: str, key: str, row: dict[str, Any]) -> Any:
    """The value a story names: keys hold the role of a span, the kind of an item and a behaviour's name."""
    named = {"roles": key.split(":")[1:2], "attention": key.split(":")[:1], "behaviours": [key]}
    return named[table][0] if table in named else row.get(column)


def test_there_are_thirty_stories_or_more_each_of_raw_deliveries() -> None:
    assert len(STORIES) >= 30
    for name in STORIES:
        assert events(name) and expected(name)["moments"]
        assert list((ROOT / name / "deliveries").glob("*.jsonl")), name


def test_every_trap_has_the_story_that_is_named_for_it() -> None:
    table = (ROOT / "README.md").read_text().partition("## The traps")[2]
    rows = [line.split("|") for line in table.splitlines() if "`" in line]
    assert len(rows) >= 13
    for _, trap, named, _ in rows:
        assert set(re.findall(r"`(\w+)`", named)) <= set(STORIES), trap
