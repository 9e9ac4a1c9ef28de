"""Every door leads to one path: stored once, numbered in order of arrival, never lost."""

from __future__ import annotations

import pytest

from tests.trajectories.told import delivery, hear, new_run, run_event, told
from trajectories.events import KINDS, order_key
from trajectories.ingest import prepared
from trajectories.ingest.incoming import Incoming, fault
from trajectories.ingest.reparse import reparse
from trajectories.ingest.store import store
from trajectories.listed import events
from trajectories.models import Delivery, EventRow, Feed, Pack, Stream
from trajectories.models.packing import unpack
from trajectories.models.reading import arrived, by_number, told_by

pytestmark = pytest.mark.django_db
AT = 1_800_000_000_000


def hook(seq: int, at: int) -> Incoming:
    return delivery(f"uuid-{seq}", {"ref": "refs/heads/x"}, seq=seq, at=at, **{"X-Gitea-Event-Type": "push"})


def test_a_story_is_stored_once_however_often_it_is_told() -> None:
    run = new_run()
    hear(run, told())
    before = (Delivery.objects.count(), len(list(arrived(run.pk, 0))), Stream.of(run.pk).n)
    hear(run, told())
    assert (Delivery.objects.count(), len(list(arrived(run.pk, 0))), Stream.of(run.pk).n) == before
    assert before[1] == before[2] > 200


def test_arrival_numbers_are_dense_and_every_kind_is_known() -> None:
    run = new_run()
    hear(run, told())
    found = list(arrived(run.pk, 0))
    assert [n for n, _ in found] == list(range(1, Stream.of(run.pk).n + 1))
    assert {event.kind for _, event in found} <= set(KINDS)
    assert [n for n, _ in arrived(run.pk, 10, 7)] == list(range(11, 18))


def test_steps_are_packed_and_found_again_by_worker_and_by_number() -> None:
    run = new_run()
    hear(run, told())
    whole = dict(arrived(run.pk, 0))
    assert not EventRow.objects.filter(kind__startswith="step.").exists()
    assert Pack.objects.exists()
    for worker in (1, 2, 3, 4):
        mine = sorted(
            (p for p in whole.items() if p[1].source == "acp" and p[1].worker == worker), key=lambda p: order_key(p[1])
        )
        assert list(told_by(run.pk, worker)) == mine
        since, until = mine[len(mine) // 4][1].at, mine[len(mine) // 2][1].at
        assert list(told_by(run.pk, worker, since, until)) == [p for p in mine if since <= p[1].at <= until]
    assert [by_number(run.pk, n) for n in whole] == list(whole.values())
    assert by_number(run.pk, len(whole) + 1) is None
    kinds = ("step.started", "step.finished")
    assert [e["n"] for e in events(run.pk, 0, 500, "step.*", 2)] == [
        n for n, e in whole.items() if e.kind in kinds and e.worker == 2
    ]
    assert [e["n"] for e in events(run.pk, 5, 50)] == list(range(6, 56))
    assert not Delivery.objects.exclude(skipped="").exists()


def test_two_runs_number_their_own_events() -> None:
    one, other = new_run("one"), new_run("other")
    for run in (one, other):
        store(run.pk, "run", [run_event(1, "run.started", AT), run_event(2, "run.ticked", AT)])
    assert [Stream.of(run.pk).n for run in (one, other)] == [2, 2]


def test_the_first_copy_fixes_the_time() -> None:
    run = new_run()
    store(run.pk, "run", [run_event(1, "run.ticked", AT), run_event(1, "run.ticked", AT + 5)])
    store(run.pk, "run", [run_event(1, "run.ticked", AT + 9)])
    assert list(Delivery.objects.values_list("at", flat=True)) == [AT]


def test_hooks_keep_the_order_of_their_ids() -> None:
    run = new_run()
    store(run.pk, "gitea", [hook(2, AT + 4_000), hook(3, AT + 1_000), hook(1, AT)])
    store(run.pk, "gitea", [hook(4, AT + 2_000), hook(5, AT + 90_000), hook(6, AT + 10_000)])
    times = dict(Delivery.objects.values_list("seq", "at"))
    assert times == {1: AT, 2: AT + 4_000, 3: AT + 4_000, 4: AT + 4_000, 5: AT + 90_000, 6: AT + 10_000}


def test_a_bundle_keeps_the_times_it_fixed_before() -> None:
    run = new_run()
    store(run.pk, "gitea", [hook(1, AT + 4_000), hook(2, AT)], fixed=True)
    assert dict(Delivery.objects.values_list("seq", "at")) == {1: AT + 4_000, 2: AT}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
        (b'{"kind": "\xff"}', "invalid UTF-8"),
        (b"no json", "not JSON"),
        (b"[]", ""),
    ],
)
def test_an_unreadable_body_is_kept_with_the_reason(raw: bytes, reason: str) -> None:
    run = new_run()
    for source in ("run", "board", "mattermost", "gitea", "gateway", "acp"):
        done = store(run.pk, source, [delivery("1-1-1", None, raw=raw), delivery("1-1-2", None, raw=b"{}")])
        assert (done.new, done.skipped, done.events) == (2, 2, 0)
    for row in Delivery.objects.filter(delivery="1-1-1"):
        assert unpack(row.body) == raw
        assert row.skipped
        assert reason in row.skipped


def test_ten_megabytes_are_one_delivery_like_any_other() -> None:
    run = new_run()
    done = store(run.pk, "board", [delivery("1", {"op": "note", "text": "x" * 10_000_000})])
    assert done.new == 1
    assert Delivery.objects.get().bytes > 10_000_000


def test_hostile_strings_are_stored_alike_on_every_database() -> None:
    run = new_run()
    raw = rb'{"n":1,"at":"","kind":"run.phase_changed","fields":{"phase":"a\u0000\ud800","big":123456789012345678901234567890,"x":NaN}}'
    store(run.pk, "run", [delivery("1", None, raw=raw)])
    assert EventRow.objects.get().fields == (
        '{"phase":"a\u2400\ufffd","big":"123456789012345678901234567890","x":null}'
    )
    assert unpack(Delivery.objects.get().body) == raw


def test_a_parser_that_raises_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        @staticmethod
        def parse(delivery: object) -> object:
            raise RuntimeError("broken")

    monkeypatch.setattr(prepared, "source_module", lambda name: Broken)
    run = new_run()
    assert store(run.pk, "run", [run_event(1, "run.ticked", AT)]).skipped == 1
    monkeypatch.undo()
    assert Delivery.objects.get().skipped == "parse failed: RuntimeError"
    assert reparse(run.pk) == 1
    assert (Delivery.objects.get().skipped, EventRow.objects.get().kind) == ("", "run.ticked")


def test_feeds_count_what_came_and_how_new_it_is() -> None:
    run = new_run()
    store(run.pk, "run", [run_event(1, "run.ticked", AT), run_event(2, "no.such_kind", AT + 1)])
    feed = Feed.objects.get(source="run")
    assert (feed.deliveries, feed.skipped, feed.newest_at, feed.polled_at) == (2, 1, AT + 1, None)


@pytest.mark.parametrize(
    ("change", "named"),
    [({"id": "a/b"}, "id"), ({"id": ""}, "id"), ({"id": "x" * 161}, "id"), ({"seq": 2**63}, "seq"), ({"at": -1}, "at")],
)
def test_an_envelope_that_fits_no_column_is_named(change: dict[str, object], named: str) -> None:
    bad = delivery("1", {})
    for name, value in change.items():
        setattr(bad, name, value)
    assert (fault(bad) or "").startswith(named)
