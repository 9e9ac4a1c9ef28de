"""Keyframes of a settled run, whole and of differences, come to what the change log says; so does what is kept of them in memory."""

from __future__ import annotations

import pytest

from tests.trajectories.told import hear, new_run, told
from trajectories import blocks, newest, replay
from trajectories.derive import changelog, keyframes, settle, snapshots
from trajectories.live import records
from trajectories.models import Keyframe, Stream, packing
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
    monkeypatch.setattr(packing, "LONG", 0)
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


def test_a_long_table_lies_in_blocks_and_a_row_is_read_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    hear(run, told())
    settle(run.pk)
    plain = {name: dict(rows) for name, rows in newest.opened(run.pk).tables.items()}
    monkeypatch.setattr(packing, "LONG", 1)
    monkeypatch.setattr(packing, "BLOCK", 2)
    monkeypatch.setattr(blocks, "BLOCK", 2)
    settle(run.pk)
    place = Stream.of(run.pk)
    assert place.settled_hash == keyframes.fold(Keyframe.objects.get(run=run, c=place.c)).hash()
    assert changelog.tables_at(run.pk, place.generation, place.c) == plain
    found = newest.opened(run.pk).tables
    monkeypatch.setattr(packing.Blocks, "of", None)  # nothing is laid out to be packed again
    name, rows = max(plain.items(), key=lambda pair: len(pair[1]))
    assert len(rows) > 4
    assert type(found[name]) is blocks.Rows
    read, unpack = [], packing.unpack
    monkeypatch.setattr(packing, "unpack", lambda packed: (read.append(packed), unpack(packed))[1])
    key = list(rows)[3]
    assert found[name][key] == rows[key]
    assert read == [found[name].blocks.packed[1]]
    assert {name: dict(rows) for name, rows in found.items()} == plain


def test_one_table_of_a_settled_run_is_read_alone_and_is_what_the_whole_state_has(
    place: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replay.state(place.run_id)
    monkeypatch.setattr(changelog, "tables_at", None)
    for table in TABLES:
        alone = replay.state(place.run_id, table=table)
        assert alone == {**whole, "tables": {table: whole["tables"][table]}}
