"""Whatever the order, doubling and lateness of arrival: the State is the fold of what arrived, and the log says the same."""

from __future__ import annotations

import random
import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runs.models import Run
from tests.trajectories.told import hear, new_run, run_event, ticks, told
from trajectories import replay
from trajectories.derive import Deriver, changelog, deriver, keyframes, settle
from trajectories.ingest.store import store
from trajectories.live import records
from trajectories.models import Change, ChangePack, Feed, Keyframe, Segment, Stream
from trajectories.models.packing import pack
from trajectories.models.reading import everything
from trajectories.reducers import Fold, rows_hash
from trajectories.replay import moment, state, state_at

pytestmark = pytest.mark.django_db
AT = 1_800_000_000_000


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deriver, "PAUSE_S", 0.0)


def hash_in_order(run: Run) -> str:
    fold = Fold()
    for _, event in everything(run.pk, Stream.of(run.pk).n):
        fold.take(event)
    return fold.hash()


def hash_of_log(run: Run) -> str:
    stream = Stream.of(run.pk)
    return rows_hash(changelog.tables_at(run.pk, stream.generation, stream.c))


@given(seed=st.integers(0, 2**32), share=st.floats(0.1, 0.6))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_arrival_gives_the_hash_of_the_ordered_fold(seed: int, share: float) -> None:
    chance = random.Random(seed)
    story = told()
    chance.shuffle(story)
    story += chance.sample(story, 20)
    run = new_run(f"r-{uuid.uuid4().hex}")
    mind = Deriver(run.pk)
    while story:
        count = max(1, round(len(story) * share * chance.random()))
        hear(run, story[:count])
        del story[:count]
        mind.wake()
        if chance.random() < 0.2:
            mind = Deriver(run.pk)  # a process died; the next one takes over
    mind.wake()
    assert mind.live_hash() == hash_in_order(run) == hash_of_log(run) == state(run.pk)["hash"]
    assert settle(run.pk, mind.live_hash()) == mind.live_hash() == hash_of_log(run)


def test_changes_are_numbered_without_gaps_in_each_generation() -> None:
    run = new_run()
    hear(run, told())
    Deriver(run.pk).wake()
    first = list(Change.objects.filter(run=run, generation=1).order_by("c").values_list("c", flat=True))
    assert first == list(range(1, Stream.of(run.pk).c + 1))
    settle(run.pk)
    stream = Stream.of(run.pk)
    assert not Change.objects.filter(run=run).exists()
    rows = list(records.between(run.pk, 2, 0))
    assert [row[0] for row in rows] == list(range(1, stream.c + 1))
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    assert [row[0] for row in records.between(run.pk, 2, 7, 12)] == [8, 9, 10, 11, 12]
    assert stream.settled


def test_a_prefix_of_the_settled_log_is_the_state_at_that_moment() -> None:
    run = new_run()
    hear(run, told())
    settle(run.pk)
    stream = Stream.of(run.pk)
    for seconds in (-10, 0, 9.4, 41, 95.5, 126, 200, 500):
        shown = state(run.pk, seconds)
        tables = changelog.tables_at(run.pk, stream.generation, shown["c"])
        if seconds < 222:
            assert rows_hash(tables) == shown["hash"], seconds


def test_some_tables_of_a_moment_are_those_of_the_whole_state() -> None:
    run = new_run()
    hear(run, told())
    settle(run.pk)
    for seconds in (-10, 9.4, 41, 126, 500):
        whole = state(run.pk, seconds)["tables"]
        found = replay.some(run.pk, seconds, "workers", "notes")
        assert set(found) == {"workers", "notes"}
        assert {name: {str(key): row for key, row in rows.items()} for name, rows in found.items()} == {
            name: whole[name] for name in found
        }, seconds


def test_the_state_at_a_moment_does_not_depend_on_keyframes(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run()
    hear(run, told())
    settle(run.pk)
    plain = [state(run.pk, seconds)["hash"] for seconds in range(0, 230, 23)]
    monkeypatch.setattr(keyframes, "CHANGES", 10)
    monkeypatch.setattr(keyframes, "RUN_MS", 5_000)
    settle(run.pk)
    assert Keyframe.objects.filter(run=run).count() > 3
    assert [state(run.pk, seconds)["hash"] for seconds in range(0, 230, 23)] == plain


def test_live_keyframes_survive_events_that_come_too_late_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyframes, "CHANGES", 5)
    monkeypatch.setattr(keyframes, "RUN_MS", 1_000)
    run = new_run()
    story = told()
    late = [story.pop(k) for k in range(100, 40, -4)]
    mind = Deriver(run.pk)
    for k in range(0, len(story), 10):
        hear(run, story[k : k + 10])
        mind.wake()
    assert Keyframe.objects.filter(run=run).count() > 3
    hear(run, late)
    mind.wake()
    assert mind.live_hash() == hash_in_order(run) == hash_of_log(run)
    stream = Stream.of(run.pk)
    for seconds in (30, 60, 120):
        fold = Fold()
        for _, event in everything(run.pk, stream.n, moment(stream, seconds)):
            fold.take(event)
        fold.advance(moment(stream, seconds))
        assert state_at(stream, moment(stream, seconds)).hash() == fold.hash()


def test_an_event_older_than_the_window_is_folded_from_the_start() -> None:
    run = new_run()
    start = [
        run_event(1, "run.started", AT, duration_s=600),
        run_event(2, "worker.enrolled", AT, worker=1, name="w0001"),
    ]
    store(run.pk, "run", [*start, *ticks(10, 600, AT + 1_000)])
    mind = Deriver(run.pk)
    mind.wake()
    store(run.pk, "run", [run_event(3, "worker.joined", AT + 2_000, worker=1, life=1)])
    mind.wake()
    assert mind.live_hash() == hash_in_order(run) == hash_of_log(run)
    assert Feed.objects.get(source="run").late == 1
    assert state(run.pk)["tables"]["workers"]["1"]["life"] == 1


def test_rewinds_far_back_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deriver, "PAUSE_S", 60.0)
    run = new_run()
    store(run.pk, "run", [run_event(1, "run.started", AT), *ticks(10, 300, AT)])
    mind = Deriver(run.pk)
    mind.wake()
    store(run.pk, "run", [run_event(2, "node.joined", AT + 1, node="a")])
    mind.wake()
    store(run.pk, "run", [run_event(3, "node.joined", AT + 2, node="b")])
    assert mind.wake() == 0
    assert set(state(run.pk)["tables"]["nodes"]) == {"a"}


def test_a_second_deriver_notices_what_the_first_wrote() -> None:
    run = new_run()
    one, other = Deriver(run.pk), Deriver(run.pk)
    story = told()
    for k, mind in enumerate([one, other, one, other]):
        hear(run, story[k * 40 : k * 40 + 40])
        mind.wake()
    assert hash_of_log(run) == hash_in_order(run)


def test_settling_again_after_late_deliveries_makes_a_new_generation() -> None:
    run = new_run()
    story = told()
    hear(run, story[:-5])
    settle(run.pk)
    hear(run, story[-5:])
    assert not Stream.of(run.pk).settled
    assert settle(run.pk) == hash_in_order(run)
    assert set(ChangePack.objects.filter(run=run).values_list("generation", flat=True)) == {3}
    assert set(Segment.objects.filter(run=run).values_list("generation", flat=True)) == {3}


def test_a_keyframe_that_cannot_be_read_is_passed_over() -> None:
    run = new_run()
    hear(run, told())
    final = settle(run.pk)
    Keyframe.objects.filter(run=run).update(snapshot=pack(b'{"rules_version": "of another release"}'))
    assert state(run.pk)["hash"] == final
    Keyframe.objects.filter(run=run).update(snapshot=b"junk")
    assert state(run.pk)["hash"] == final
    assert state(run.pk, 60)["tables"]["pulls"]


def test_what_a_run_cost_is_left_on_it() -> None:
    run = new_run(provenance={"image": "none"})
    hear(run, told())
    settle(run.pk)
    run.refresh_from_db()
    assert run.provenance["image"] == "none"
    spent = {"tokens": 18 * 4_300, "cost_microusd": 0, "agent_seconds": 221 + 220 + 219 + 91}
    assert run.provenance["totals"].items() >= spent.items()
    assert sum(run.provenance["totals"][name] for name in ("input_tokens", "output_tokens")) == spent["tokens"]
