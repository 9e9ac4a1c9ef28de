"""Listening: every source is read on, a failing one hurts nobody, and the end is noticed."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from runs.models import Run
from tests.trajectories.told import new_run
from trajectories import indexes, listening, search
from trajectories.ingest import polling
from trajectories.models import Delivery, Feed, Stream, now_ms
from trajectories.replay import state
from trajectories.sources.base import Pulled, RawDelivery

pytestmark = pytest.mark.django_db


class Outbox:
    """A source's far side: rows that may grow, and moods."""

    def __init__(self, size: int = 0) -> None:
        self.size, self.broken = size, False

    def pull(self, endpoints: Any, cursor: Any) -> Pulled:
        if self.broken:
            raise OSError("no route to it")
        after = cursor or 0
        numbers = range(after + 1, min(after + 3, self.size) + 1)
        rows = [RawDelivery(str(k), k, 1_800_000_000_000 + k, now_ms(), {"seq": k}) for k in numbers]
        last = rows[-1] if rows else None
        return Pulled(rows, last.seq if last else after, last.at if last else None, more=len(rows) == 3)


@pytest.fixture
def outbox(monkeypatch: pytest.MonkeyPatch) -> Outbox:
    made, real = Outbox(), polling.source
    monkeypatch.setattr(polling, "source", lambda name: made if name == "board" else real(name))
    monkeypatch.setattr(polling, "KEEP_S", 0.0)
    return made


@pytest.fixture
def run() -> Run:
    made = new_run("heard", started_at=timezone.now(), endpoints={"board": {"url": "http://127.0.0.1:9"}})
    made.record("run.started", duration_s=60)
    return made


def test_a_turn_reads_every_outbox_and_derives(run: Run, outbox: Outbox) -> None:
    outbox.size = 8
    listening.Listener(run.pk).turn()
    assert Delivery.objects.filter(run=run, source="board").count() == 8
    assert Stream.of(run.pk).t0 is not None
    feed = Feed.objects.get(run=run, source="board")
    assert (json.loads(feed.cursor), feed.error, feed.polled_at is not None) == (8, "", True)


def test_a_restart_reads_on_from_the_cursor(run: Run, outbox: Outbox) -> None:
    outbox.size = 4
    listening.Listener(run.pk).turn()
    outbox.size = 6
    listening.Listener(run.pk).turn()
    assert Delivery.objects.filter(run=run, source="board").count() == 6


def test_a_failing_source_is_recorded_and_the_others_go_on(run: Run, outbox: Outbox) -> None:
    outbox.broken = True
    listener = listening.Listener(run.pk)
    listener.turn()
    feed = Feed.objects.get(run=run, source="board")
    assert feed.error == "OSError: no route to it"
    assert (feed.polled_at, feed.error_since is not None) == (None, True)
    assert Delivery.objects.filter(run=run, source="run").count() == 1
    outbox.broken = False
    listener.pollers[1].again_at = 0.0
    listener.turn()
    assert Feed.objects.get(run=run, source="board").error == ""


def test_indexes_that_cannot_be_written_hold_up_nobody_and_are_made_later(
    run: Run, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(run_id: int, **more: Any) -> None:
        raise OperationalError("database is locked")

    outbox.size = 3
    listener, real = listening.Listener(run.pk), search.catch_up
    monkeypatch.setattr(search, "catch_up", locked)
    assert listener.turn()
    assert Delivery.objects.filter(run=run, source="board").count() == 3
    called: list[int] = []
    monkeypatch.setattr(search, "catch_up", lambda run_id, **more: (called.append(run_id), real(run_id, **more)))
    monkeypatch.setattr(indexes, "INBOXES_S", 0.0)
    monkeypatch.setattr(indexes, "SEARCH_S", 0.0)
    outbox.size = 5
    listener.turn()
    assert called == [run.pk]


def test_a_draining_run_is_told_when_every_outbox_is_empty(
    run: Run, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "QUIET_S", 0.0)
    outbox.size = 1
    listener = listening.Listener(run.pk)
    listener.turn()
    Run.objects.filter(pk=run.pk).update(phase="draining", status="stopping")
    outbox.size = 3
    listener.turn()
    listener.turn()
    run.refresh_from_db()
    assert run.drained_at is not None
    assert Delivery.objects.filter(run=run, source="board").count() == 3


def test_a_run_that_is_over_is_settled_and_live_equals_replay(
    run: Run, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "QUIET_S", 0.0)
    monkeypatch.setattr(listening, "WAKE_S", 0.0)
    run.record("run.ended", outcome="ended", reason="")
    Run.objects.filter(pk=run.pk).update(status="ended", ended_at=datetime.now(UTC))
    assert listening.due() == [run.pk]
    assert listening.listen(run.pk, 5.0) is False
    stream = Stream.of(run.pk)
    assert stream.settled
    assert stream.live_hash == stream.settled_hash == state(run.pk)["hash"]
    assert listening.due() == []


def test_late_words_after_the_end_settle_the_run_again(
    run: Run, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_a_run_that_is_over_is_settled_and_live_equals_replay(run, outbox, monkeypatch)
    run.record("action.taken", person="ann", action="end", target="")
    assert listening.due() == [run.pk]
    listening.listen(run.pk, 5.0)
    assert Stream.of(run.pk).settled
    assert Stream.of(run.pk).generation == 3


def test_only_one_listens_at_a_time(run: Run, outbox: Outbox) -> None:
    Stream.of(run.pk)
    assert Stream.take(run.pk, "elsewhere:1:x", 60_000)
    assert listening.due() == []
    assert listening.listen(run.pk, 5.0) is False
    assert not Delivery.objects.exists()
    Stream.objects.update(held_until=now_ms() - 1)
    assert listening.due() == [run.pk]


def test_the_lease_of_a_dead_process_is_free_at_once(run: Run) -> None:
    Stream.of(run.pk)
    host = listening.HOLDER.split(":")[0]
    assert Stream.take(run.pk, f"{host}:99999999:x", 60_000)
    assert listening.due() == [run.pk]


def test_runs_that_say_nothing_are_left_alone() -> None:
    for status in ("draft", "importing"):
        Run.objects.create(slug=status, name=status, status=status)
    Run.objects.create(slug="dead-on-arrival", name="x", status="failed")
    assert listening.due() == []


def test_a_source_that_hangs_holds_up_nobody(run: Run, outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "ANSWER_S", 0.05)
    monkeypatch.setattr(polling, "HUNG_S", 0.1)
    answers, real = threading.Event(), outbox.pull
    monkeypatch.setattr(outbox, "pull", lambda endpoints, cursor: (answers.wait(20), real(endpoints, cursor))[1])
    outbox.size = 3
    listener = listening.Listener(run.pk)
    listener.turn()
    run.record("run.phase_changed", phase="running")
    began = time.monotonic()
    listener.turn()
    assert time.monotonic() - began < 5.0
    assert Delivery.objects.filter(run=run, source="run").count() == 2
    time.sleep(0.1)
    listener.turn()
    board = listener.pollers[1]
    assert board.feed.error.startswith("has not answered for")
    assert not Delivery.objects.filter(run=run, source="board").exists()
    answers.set()
    assert board.asked is not None
    board.asked.wait(time.monotonic() + 20)
    listener.turn()
    assert Delivery.objects.filter(run=run, source="board").count() == 3
    assert board.feed.error == ""
