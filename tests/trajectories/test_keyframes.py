"""Keyframes of a settled run, whole and of differences, come to what the change log says; so does what is kept of them in memory."""

from __future__ import annotations

import pytest

from tests.trajectories.told import hear, new_run, told
from trajectories import blocks, newest, replay
from trajectories.derive import changelog, keyframes, settle, snapshots
from trajectories.live import records
from trajectories.models import Keyframe, Stream
from trajectories.reducers import RULES_VERSION, TABLES

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Stream:
    monkeypatch.setattr(keyframes, "CHANGES", 3)
    monkeypatch.setattr(keyframes, "RUN_MS", 0)
    monkeypatch.setattr(keyframes, "is_due", lambda changes, rows, at, last_at: changes >= 3)
    run = new_run()
    hear(run, told())
    settle(run.pk)
    return Stream.of(run.pk)


def base_of(keyframe: Keyframe) -> int | None:
    return snapshots.Snapshot(bytes(keyframe.snapshot)).base


def test_every_keyframe_holds_what_the_log_up_to_it_says(place: Stream) -> None:
    found = list(Keyframe.objects.filter(run_id=place.run_id).order_by("c"))
    assert {base_of(each) is None for each in found} == {True, False}, "both kinds are met"
    tables: changelog.Tables = {name: {} for name in TABLES}
    c = 0
    for each in found:
        changelog.apply(tables, records.between(place.run_id, place.generation, c, each.c))
        c = each.c
        assert keyframes.tables(place.run_id, place.generation, c) == (tables, c)


def test_only_the_last_keyframe_can_be_folded_on_from(place: Stream) -> None:
    *others, last = Keyframe.objects.filter(run_id=place.run_id).order_by("c")
    assert all(keyframes.fold(each) is None for each in others)
    fold = keyframes.fold(last)
    assert fold is not None
    assert fold.hash() == place.settled_hash


def test_differences_whose_base_cannot_be_read_are_passed_over(place: Stream) -> None:
    newer = [each for each in Keyframe.objects.filter(run_id=place.run_id).order_by("c") if base_of(each) is not None]
    right = changelog.tables_at(place.run_id, place.generation, newer[-1].c)
    Keyframe.objects.filter(run_id=place.run_id, c=base_of(newer[-1])).update(snapshot=b"junk")
    assert changelog.tables_at(place.run_id, place.generation, newer[-1].c) == right


def test_a_keyframe_of_other_rules_is_none(place: Stream) -> None:
    body = snapshots.write(RULES_VERSION + 1, {"notes": {1: {"note": 1}}})
    Keyframe.objects.filter(run_id=place.run_id).update(snapshot=body)
    assert keyframes.tables(place.run_id, place.generation, place.c) is None


def test_long_tables_kept_as_texts_read_like_any_other(place: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    run = place.run
    plain = newest.newest(run).tables
    newest._held.clear()
    monkeypatch.setattr(newest, "MANY", 0)
    packed = newest.newest(run).tables
    newest._held.clear()
    assert {type(rows) for rows in packed.values() if len(rows)} == {blocks.Rows}
    for name, rows in plain.items():
        kept = packed[name]
        assert kept == rows
        assert list(kept.items()) == list(rows.items())
        assert list(kept.values()) == list(rows.values())
        assert list(kept) == list(rows)
        assert all(key in kept and kept[key] == row for key, row in rows.items())
        assert kept.get("nobody") is None


def test_one_table_of_a_settled_run_is_read_alone_and_is_what_the_whole_state_has(
    place: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replay.state(place.run_id)
    monkeypatch.setattr(changelog, "tables_at", None)
    for table in TABLES:
        alone = replay.state(place.run_id, table=table)
        assert alone == {**whole, "tables": {table: whole["tables"][table]}}
