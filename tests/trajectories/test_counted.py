"""When a run is over, what its sources held is counted against what is stored; the Export page says the outcome, and what ran."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
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


def test_a_large_run_is_counted_by_the_command_in_a_process_of_its_own(
    over: Run, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "runs" / over.slug).mkdir(parents=True)
    store(over, 1, 2)
    call_command("ledger", over.slug, keep=True)
    over.refresh_from_db()
    assert over.provenance["counted"]["sources"]["run"]["lost"] == 1


@pytest.mark.parametrize(("status", "word", "code"), [("running", "not read yet 2", None), ("ended", "lost 2", 1)])
def test_what_a_run_under_way_has_just_said_is_not_called_lost(
    over: Run, settings: Any, tmp_path: Path, status: str, word: str, code: int | None
) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "runs" / over.slug).mkdir(parents=True)
    Run.objects.filter(pk=over.pk).update(status=status)
    store(over, 1)
    found = None
    try:
        call_command("ledger", over.slug, stdout=(out := StringIO()))
    except CommandError as fault:
        found = fault.returncode
    assert (found, word in out.getvalue()) == (code, True)


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


def test_the_page_says_what_ran_with_each_image_by_its_digest(over: Run) -> None:
    forge = {
        "name": "docker.gitea.com/gitea:1.27-rootless",
        "id": "sha256:1",
        "digests": ["docker.gitea.com/gitea@sha256:9"],
    }
    chat = {"name": "agensh/standins:latest", "id": "sha256:2", "standin": True}
    over.provenance = {
        "release": "abc",
        "evaluator": "suite",
        "images": {"forge": forge, "chat": chat, "odd": "<b>"},
        "engine": 7,
    }
    over.save()
    told = page(over)
    assert "docker.gitea.com/gitea@sha256:9" in told and "sha256:2, stand-in" in told and "suite" in told
    assert "<b>" not in told.split("What ran")[1].split("From a shell")[0]
