"""Checkpoints: one at a time, the skipped ones stored as skipped, late answers ignored."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from runs import scoring
from runs.models import Run
from runs.team import spec_of
from tests.runs.factories import make_run

pytestmark = pytest.mark.django_db
FULL = {"passed": 60, "total": 60, "not_run": 0, "error_code": None, "evaluator": "suite 1", "took_ms": 900}


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(scoring, "_wake", lambda run, k, at_s: calls.append((k, at_s)))
    return calls


def running(seconds: float, **more: Any) -> Run:
    return make_run(status="running", started_at=timezone.now() - timedelta(seconds=seconds), **more)


def scores(run: Run) -> list[tuple[int, str | None]]:
    rows = run.run_events.filter(kind="checkpoint.scored").values_list("fields", flat=True)
    return [(f["checkpoint"], f["error_code"]) for f in rows]


def test_checkpoint_is_woken_once_when_due(woken: list[tuple[int, int]]) -> None:
    run = running(21)
    scoring.schedule(run, spec_of(run))
    scoring.schedule(run, spec_of(run))
    assert woken == [(1, 20)]


def test_checkpoint_due_while_the_scorer_is_busy_is_stored_as_skipped(woken: list[tuple[int, int]]) -> None:
    run = running(21)
    scoring.schedule(run, spec_of(run))
    Run.objects.update(started_at=timezone.now() - timedelta(seconds=41))
    run.refresh_from_db()
    scoring.schedule(run, spec_of(run))
    assert scores(run) == [(2, "skipped")]
    assert woken == [(1, 20)]


def test_score_is_stored_once_however_often_it_is_called(
    woken: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(21)
    monkeypatch.setattr(scoring, "measure", lambda _: ("c1", FULL))
    scoring.schedule(run, spec_of(run))
    stale = Run.objects.get()
    scoring.score(run, 1, 20)
    scoring.score(stale, 1, 20)
    scoring.score(run, 7, 140)
    assert scores(run) == [(1, None)]
    assert Run.objects.get().monitor["checkpoint"]["score"]["passed"] == 60
    assert not scoring.is_busy(Run.objects.get())


def test_scorer_that_never_answers_does_not_stop_later_checkpoints(woken: list[tuple[int, int]]) -> None:
    run = running(41, monitor={"checkpoint": {"last": 1, "busy": {"k": 1, "since": 0}}})
    scoring.schedule(run, spec_of(run))
    assert woken == [(2, 40)]
