"""Every statement has proof: a row that says something names events, and each of them lies in a raw delivery."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from runs.simulate import simulate
from tests.trajectories.reducers.stories import STORIES
from tests.trajectories.reducers.stories import events as told_by
from trajectories.events import Event, millis, order_key
from trajectories.reducers import TABLES, Fold
from trajectories.sources import source
from trajectories.sources.base import RawDelivery, Skipped

#: Tables whose rows are statements of the reducers; the others repeat what one source said, and the history of the row names it.
PROVEN = frozenset(name for name, table in TABLES.items() if "evidence" in table.blank)
#: Columns that name one event.
REFS = {"claims": ("settled_by",), "reviews": ("contradicted_by",)}


def deliveries(bundle: Path) -> dict[str, tuple[Event, dict[str, Any]]]:
    """reference -> (event, the raw line it was read from)."""
    found = {}
    for file in sorted((bundle / "deliveries").glob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            raw = RawDelivery(
                line["id"], line["seq"], millis(line["at"]), millis(line["received_at"]), line["body"], line["headers"]
            )
            told = source(file.stem).parse(raw)
            if not isinstance(told, Skipped):
                found |= {event.ref: (event, line) for event in told}
    return found


def references(fold: Fold) -> dict[str, list[str]]:
    """table -> every reference that its rows name, in the lists and in columns of their own."""
    return {
        name: [
            *(ref for row in fold.tables[name].values() for ref in row["evidence"]),
            *(row[column] for row in fold.tables[name].values() for column in REFS.get(name, ()) if row[column]),
        ]
        for name in PROVEN
    }


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[Event, dict[str, Any]]], Fold]:
    folder = tmp_path_factory.mktemp("proofs") / "run"
    simulate(64, 1.0, 21, folder)
    raw, fold = deliveries(folder), Fold()
    for event in sorted((event for event, _ in raw.values()), key=order_key):
        fold.take(event)
    return raw, fold


def test_every_row_of_a_team_of_64_names_its_events_and_each_lies_in_a_raw_delivery(
    team: tuple[dict[str, tuple[Event, dict[str, Any]]], Fold],
) -> None:
    raw, fold = team
    named = Counter({table: len(refs) for table, refs in references(fold).items()})
    for table in PROVEN - {"attention"}:  # nothing is left to attend to after the end
        assert named[table] > 0, table
    for table in PROVEN:
        for key, row in fold.tables[table].items():
            assert row["evidence"] and row["evidence_count"] >= len(row["evidence"]), (table, key)
    for table, refs in references(fold).items():
        for ref in refs:
            assert ref in raw, (table, ref)


def test_an_acp_reference_names_the_item_and_its_batch_holds_it(
    team: tuple[dict[str, tuple[Event, dict[str, Any]]], Fold],
) -> None:
    raw, fold = team
    items = [ref for refs in references(fold).values() for ref in refs if ref.startswith("acp:")]
    for ref in items:
        event, line = raw[ref]
        assert event.seq in {item["n"] for item in line["body"]["items"]}


def test_attention_has_proof_while_it_lasts(
    team: tuple[dict[str, tuple[Event, dict[str, Any]]], Fold],
) -> None:
    raw, _ = team
    fold, seen = Fold(), 0
    for event in sorted((event for event, _ in raw.values()), key=order_key):
        for change in fold.take(event):
            if change.table == "attention" and change.op == "put" and "evidence" in change.fields:
                seen += 1
                assert change.fields["evidence"] and all(ref in raw for ref in change.fields["evidence"])
    assert seen > 20


@pytest.mark.parametrize("name", STORIES)
def test_the_rows_of_a_story_name_only_what_was_delivered(name: str) -> None:
    told = told_by(name)
    fold = Fold()
    for event in sorted(told, key=order_key):
        fold.take(event)
    known = {event.ref for event in told}
    for table, refs in references(fold).items():
        assert set(refs) <= known, table
