"""When a run is over, what its sources held is counted against what is stored, and the Export page says the outcome."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person, make_run
from trajectories import ledger
from trajectories.models import Delivery


@pytest.fixture
def over(db: None) -> Run:
    run = make_run("counted-1", "ended")
    for second in range(3):
        run.record("run.ticked", at=1_000 * second)
    return run


def page(run: Run) -> str:
    client = Client()
    client.force_login(make_person("ada", "viewer"))
    return client.get(f"/runs/{run.slug}/export").text


def store(run: Run, *numbers: int) -> None:
    for n in numbers:
        Delivery.objects.create(run=run, source="run", delivery=str(n), seq=n, at=n, received_at=n, body=b"{}", bytes=2)


def test_whatever_a_source_held_and_nobody_stored_is_lost_and_said(over: Run, tmp_path: Path) -> None:
    store(over, 1)
    ledger.count(over, tmp_path)
    over.refresh_from_db()
    assert over.provenance["counted"]["sources"]["run"] == {"outbox": 3, "stored": 1, "lost": 2, "doubled": 0}
    told = page(over)
    assert "lost 2, doubled 0" in told and "all that the team" not in told


def test_a_run_that_lost_nothing_says_so(over: Run, tmp_path: Path) -> None:
    store(over, 1, 2, 3)
    ledger.count(over, tmp_path)
    assert "all that the team's services and workers held is here: lost 0, doubled 0" in page(over)


def test_what_cannot_be_counted_is_said_with_its_reason(over: Run, tmp_path: Path) -> None:
    over.endpoints = {"chat": {"outbox": "postgresql://reader@127.0.0.1:1/mattermost"}}
    over.save()
    ledger.count(over, tmp_path)
    assert over.provenance["counted"]["why"]
    assert "not counted" in page(over)


def test_an_imported_run_has_no_sources_to_count(over: Run, tmp_path: Path) -> None:
    ledger.count(over, tmp_path / "none")
    assert "counted" not in over.provenance
    assert "Counted against the sources" not in page(over)
