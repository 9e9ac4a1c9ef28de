"""A run from draft to its end with the real supervisor, board, forge and chat: cancel in every phase leaves nothing behind."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from runs import driving, gateways, scoring
from runs.backends import local, processes
from runs.backends.files import read_json
from runs.folder import RunFolder
from runs.launch import create_run
from runs.live_app import say_address
from runs.models import Run, Worker
from runs.presets import PRESETS
from runs.validation import parse_spec

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """A draft of two workers on a model that does not answer, in a data folder of its own."""
    settings.DATA_DIR = tmp_path
    say_address("http://127.0.0.1:9")
    monkeypatch.setattr(scoring, "_wake", lambda *_: None)
    monkeypatch.setattr(gateways, "probe", lambda *_: "")  # preflight would refuse a model that does not answer
    raw = {"task": "rill", "workers": 2, "model": "none", "endpoint": "http://127.0.0.1:9/v1", "ramp_gate": 1}
    made, _ = create_run(parse_spec(raw, PRESETS["demo"].spec))
    yield made
    assert local.kill(RunFolder.of(made.slug).path)


def drive_to_the_end(run: Run, seconds: float = 40) -> float:
    """Tick by hand; how long it took from the wish to cancel (or from now) to the end."""
    began = time.monotonic()
    while not Run.objects.get(pk=run.pk).is_final:
        driving.drive(run.pk)
        assert time.monotonic() - began < seconds, "the run did not end"
        time.sleep(0.3)
    run.refresh_from_db()
    wish = run.cancel_requested_at
    return (run.ended_at - wish).total_seconds() if wish and run.ended_at else time.monotonic() - began


def nothing_is_left(run: Run) -> bool:
    folder = RunFolder.of(run.slug).path
    lock = folder / "supervisor.lock"
    if lock.exists():
        with lock.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    row = Run.objects.get(pk=run.pk)
    return local.ended(folder) and row.lease_holder == "" and row.lease_until is None


@pytest.mark.parametrize(
    "phase", ["draft", "preflight", "services", "bootstrap", "workers", "running", "stopping", "draining"]
)
def test_cancel_works_in_every_phase_and_leaves_nothing(run: Run, phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    enter = Run.enter_phase

    def enter_and_cancel(self: Run, name: str) -> None:
        enter(self, name)
        if name == phase:
            Run.objects.filter(pk=self.pk, cancel_requested_at=None).update(cancel_requested_at=timezone.now())

    monkeypatch.setattr(Run, "enter_phase", enter_and_cancel)
    if phase == "draft":
        run.request_cancel()
    if phase in {"stopping", "draining"}:
        while not Run.objects.filter(status="running", phase="running").exists():
            driving.drive(run.pk)
        Run.objects.get().request_end()
    took = drive_to_the_end(run)
    assert (run.status, run.outcome) == ("cancelled", "cancelled")
    assert took < 15
    assert nothing_is_left(run)
    assert run.run_events.last().kind == "run.ended"
    if phase in {"workers", "running", "stopping", "draining"}:
        assert run.provenance["salvaged"]["commit"]
        assert run.provenance["salvaged"]["fetched"] is True


def test_launch_cut_off_anywhere_is_taken_up_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class PowerCut(BaseException):
        pass

    enter, seen = Run.enter_phase, set()

    def enter_once(self: Run, name: str) -> None:
        enter(self, name)
        if name not in seen and name in {"services", "bootstrap", "workers"}:
            seen.add(name)
            raise PowerCut

    monkeypatch.setattr(Run, "enter_phase", enter_once)
    for _ in range(40):
        try:
            driving.drive(run.pk)
        except PowerCut:
            continue
        if Run.objects.filter(phase="running").exists():
            break
        time.sleep(0.3)
    assert seen == {"services", "bootstrap", "workers"}
    kinds = list(run.run_events.values_list("kind", flat=True))
    assert kinds.count("run.started") == 1
    assert kinds.count("worker.enrolled") == 2
    assert kinds.count("service.started") == 4
    assert kinds.count("worker.joined") == 2
    Run.objects.get().request_cancel()
    drive_to_the_end(run)


def test_service_that_never_gets_ready_fails_the_run_with_its_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs import launch, plan

    monkeypatch.setitem(plan.MODULES, "board", "no_such_program")
    monkeypatch.setattr(launch, "READY_S", 3)
    drive_to_the_end(run)
    assert run.status == "failed"
    assert "board" in run.reason
    assert "no_such_program" in run.reason
    assert nothing_is_left(run)


def test_preflight_fault_ends_the_run_before_anything_starts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs import preflight

    monkeypatch.setattr(preflight, "available_memory", lambda: 1 << 20)
    drive_to_the_end(run)
    assert run.status == "failed"
    assert "launch at most 0 workers here" in run.reason
    assert not RunFolder.of(run.slug).path.exists()


def test_killed_supervisor_is_replaced_and_its_workers_come_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs import monitor

    monkeypatch.setattr(monitor, "RESTART_AFTER_S", 1)
    folder = RunFolder.of(run.slug).path
    while not Run.objects.filter(phase="running").exists():
        driving.drive(run.pk)
        time.sleep(0.2)
    processes.send([read_json(folder / "supervisor.json")["pid"]], 9)
    end = time.monotonic() + 30
    while Worker.objects.filter(life=2, status="alive").count() < 2:
        driving.drive(run.pk)
        assert time.monotonic() < end
        time.sleep(0.3)
    exits = run.run_events.filter(kind="worker.exited")
    assert [(e.fields["life"], e.fields["expected"]) for e in exits] == [(1, False), (1, False)]
    Run.objects.get().request_cancel()
    drive_to_the_end(run)
    assert nothing_is_left(run)
