"""Watching a running team: status lines become events once, the dead come back, silence is noticed, people are obeyed."""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from runs import health, monitor, scoring
from runs.backends import local
from runs.backends.files import append_line, read_json
from runs.folder import RunFolder
from runs.models import Action, Run, Worker
from runs.outbox import read_status
from tests.runs.factories import make_run, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run folder without processes: the supervisor is always there, nothing is scored, no service is asked."""
    settings.DATA_DIR = tmp_path
    made = RunFolder.of("demo-1")
    made.path.mkdir(parents=True)
    (made.path / "plan.json").write_text("{}")
    monkeypatch.setattr(local, "ensure_supervisor", lambda _: False)
    monkeypatch.setattr(scoring, "schedule", lambda *_: None)
    monkeypatch.setattr(monitor, "watch_services", lambda *_: None)
    return made


def running(started_s_ago: float = 5, **more: Any) -> Run:
    since = timezone.now() - timedelta(seconds=started_s_ago)
    endpoints = {
        "gateway": {"url": "http://127.0.0.1:1"},
        "forge": {"url": "http://127.0.0.1:1", "owner": "t", "repo": "r"},
    }
    return make_run(status="running", phase="running", started_at=since, endpoints=endpoints, **more)


def say(folder: RunFolder, proc: str, state: str, **more: Any) -> None:
    line = {"at": time.time_ns() // 1_000_000, "proc": proc, "life": 1, "state": state, **more}
    append_line(folder.path / "status.jsonl", line)


def kinds(run: Run) -> list[str]:
    return list(run.run_events.values_list("kind", flat=True))


def test_status_lines_become_events_exactly_once(folder: RunFolder) -> None:
    run = running()
    make_worker(run, status="starting")
    say(folder, "w0001", "started", pid=1, started=2)
    say(folder, "w0001", "usage", rss_mb=40, cpu_ms=1200)
    say(folder, "w0001", "exited", code=None, signal=9, oom=True, expected=False)
    stale = Run.objects.get()
    assert read_status(run, folder) == 3
    assert read_status(stale, folder) == 0
    assert kinds(run) == ["worker.joined", "usage.sampled", "worker.exited"]
    exited = run.run_events.get(kind="worker.exited")
    assert exited.fields == {"worker": 1, "life": 1, "code": None, "signal": 9, "oom": True, "expected": False}
    assert Worker.objects.get().status == "dead"


def test_service_that_exits_is_reported_with_the_end_of_its_log(folder: RunFolder) -> None:
    run = running(monitor={"services": {"board": "up"}})
    (folder.service("board")).mkdir(parents=True)
    (folder.service("board") / "log.txt").write_text("Traceback: the disk is full")
    say(folder, "board", "exited", code=3, signal=None, expected=False)
    read_status(run, folder)
    assert run.run_events.get().fields == {"service": "board", "code": 3, "log_tail": "Traceback: the disk is full"}


def test_dead_worker_gets_its_next_life_a_little_later(folder: RunFolder) -> None:
    run = running()
    row = make_worker(run, status="dead", last_seen_at=timezone.now() - timedelta(seconds=60))
    make_worker(run, 2, status="dead", last_seen_at=timezone.now())
    monitor.step(run)
    row.refresh_from_db()
    assert (row.life, row.status) == (2, "starting")
    lines = [json.loads(line) for line in (folder.path / "commands.jsonl").read_text().splitlines()]
    assert [(line["command"], line["proc"], line["life"]) for line in lines] == [("start", "w0001", 2)]
    told = read_json(folder.worker("w0001") / "worker.json")
    assert (told["life"], told["worker"], told["name"]) == (2, 1, "w0001")
    assert (folder.worker("w0001") / "worker.json").stat().st_mode & 0o777 == 0o400
    token = Path(told["token_files"]["ingest"]).read_text()
    assert token.startswith("agw_")
    assert token not in json.dumps(told)


def test_silence_is_an_event_and_so_is_the_next_word(folder: RunFolder) -> None:
    run = running()
    make_worker(run, last_seen_at=timezone.now() - timedelta(seconds=500))
    spool = folder.worker("w0001") / "spool"
    spool.mkdir(parents=True)
    (spool / "1.jsonl").write_text("{}\n")
    os.utime(spool / "1.jsonl", (time.time() - 200, time.time() - 200))
    monitor.step(run)
    os.utime(spool / "1.jsonl")
    monitor.step(run)
    assert [k for k in kinds(run) if k.startswith("worker.")] == ["worker.silent", "worker.heard"]


def test_time_passes_every_ten_seconds_and_a_gap_is_one_tick(folder: RunFolder) -> None:
    run = running(started_s_ago=47)
    make_worker(run)
    monitor.step(run)
    monitor.step(run)
    assert kinds(run).count("run.ticked") == 1
    assert Run.objects.get().monitor["ticks"] == 4


def test_person_nudges_one_worker_and_stops_another(folder: RunFolder) -> None:
    run = running()
    make_worker(run, 1)
    make_worker(run, 2)
    folder.worker("w0001").mkdir(parents=True)
    Action.take(run, "nudge", person=None, person_name="ada", target="1")
    Action.take(run, "stop_worker", person=None, person_name="ada", target="w0002")
    monitor.step(run)
    monitor.step(run)
    assert (folder.worker("w0001") / "commands.jsonl").read_text() == '{"command":"nudge"}\n'
    assert (folder.path / "commands.jsonl").read_text().count('"command":"stop","proc":"w0002"') == 1


@pytest.mark.parametrize(
    ("change", "outcome", "reason"),
    [
        ({"cancel_requested_at": timezone.now()}, "cancelled", "cancelled by a person"),
        ({"end_requested_at": timezone.now()}, "ended", "ended early by a person"),
        ({"started_at": timezone.now() - timedelta(seconds=241)}, "ended", "the time was up"),
    ],
)
def test_run_ends_for_a_reason_that_is_written_down(
    folder: RunFolder, change: dict[str, Any], outcome: str, reason: str
) -> None:
    run = running()
    make_worker(run)
    Run.objects.update(**change)
    run.refresh_from_db()
    monitor.step(run)
    assert (run.status, run.outcome, run.reason) == ("stopping", outcome, reason)


def test_demo_ends_by_itself_when_the_tests_pass_and_every_pull_is_settled(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(monitor={"checkpoint": {"last": 1, "score": {"commit": "c", "passed": 9, "total": 10}}})
    make_worker(run)
    settled = False
    monkeypatch.setattr(scoring, "_settled", lambda *_: settled)
    monitor.step(run)
    Run.objects.update(monitor={"checkpoint": {"last": 2, "score": {"commit": "c", "passed": 10, "total": 10}}})
    run.refresh_from_db()
    monitor.step(run)
    assert run.status == "running"
    settled = True
    scoring.forget(run)
    monitor.step(run)
    assert (run.status, run.reason) == ("stopping", "all tests pass and every pull is settled")


def test_service_that_stops_answering_is_unhealthy_until_it_answers(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(monitor={"services": {"board": "up"}})
    answers = iter([False, False, True])
    monkeypatch.setattr(health, "_answer", lambda *_: next(answers))
    monkeypatch.setattr(health, "EVERY_S", 0)
    for _ in range(3):
        health.watch_services(run, folder)
    assert kinds(run) == ["service.unhealthy", "service.recovered"]


def test_run_whose_folder_is_gone_has_failed(folder: RunFolder) -> None:
    run = running()
    make_worker(run)
    (folder.path / "plan.json").unlink()
    monitor.step(run)
    assert (run.status, run.outcome) == ("stopping", "failed")
    assert "folder is gone" in run.reason
