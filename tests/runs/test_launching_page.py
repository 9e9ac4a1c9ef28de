"""The page of a launch tells each phase, how far a long one is, what Compose is at, and the last words of a service that does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.backends.files import append_line
from runs.folder import RunFolder
from runs.models import Run
from tests.runs.factories import make_person, make_run


@pytest.fixture
def starting(db: None, tmp_path: Path, settings: object) -> Run:
    settings.DATA_DIR = tmp_path  # type: ignore[attr-defined]
    run = make_run("slow-1")
    run.spec = {**run.spec, "backend": "compose"}
    run.save()
    run.move("preflight")
    run.enter_phase("preflight")
    run.move("starting")
    run.enter_phase("services")
    return run


def phases(run: Run) -> str:
    client = Client()
    client.force_login(User.objects.filter(username="vera").first() or make_person("vera", "viewer"))
    return client.get(f"/runs/{run.slug}/phases").text


def test_a_service_that_does_not_answer_says_its_last_words(starting: Run) -> None:
    folder = RunFolder.of(starting.slug)
    for name, words in (
        ("board", "ready"),
        ("forge", "FATAL: <b>no space</b> left\n" + "\n".join(f"line {n}" for n in range(9))),
    ):
        place = folder.service(name)
        place.mkdir(parents=True)
        (place / "log.txt").write_text(words)
    starting.record("service.started", service="board")
    append_line(folder.path / "status.jsonl", {"state": "progress", "text": "Container agensh-a1-7-chat-1 Starting"})
    told = phases(starting)
    assert "board up; Container agensh-a1-7-chat-1 Starting" in told
    assert "forge does not answer yet; its last words" in told and "line 8" in told and "line 3" not in told
    assert "board does not answer" not in told


def test_what_a_service_printed_is_text_and_no_page(starting: Run) -> None:
    place = RunFolder.of(starting.slug).service("forge")
    place.mkdir(parents=True)
    (place / "log.txt").write_text("FATAL: <b>no space</b> left")
    told = phases(starting)
    assert "no space" in told and "<b>no space" not in told


def test_accounts_of_a_large_team_have_a_bar(starting: Run) -> None:
    starting.enter_phase("bootstrap")
    starting.monitor = {"progress": "forge accounts: 400 of 1,024", "progress_of": [400, 1024]}
    starting.save()
    told = phases(starting)
    assert "forge accounts: 400 of 1,024" in told and '<progress value="400" max="1024"' in told


def test_before_anything_is_up_the_page_says_what_is_meant_to_come(starting: Run) -> None:
    assert "board, forge (stand-in), chat (stand-in), scripted model, gateway" in phases(starting)


@pytest.mark.parametrize(("status", "glyph"), [("ended", "ended"), ("failed", "dead"), ("cancelled", "closed")])
def test_why_it_is_over_is_marked_by_how_it_ended(starting: Run, status: str, glyph: str) -> None:
    Run.objects.filter(pk=starting.pk).update(status=status, reason="all tests pass")
    told = phases(Run.objects.get(pk=starting.pk))
    assert f"#g-{glyph}" in told[told.index('class="reason"') : told.index("all tests pass")]


def test_a_run_that_came_as_a_bundle_has_no_launch_to_tell(starting: Run) -> None:
    run = make_run("brought")
    for origin, words in (("simulated", "was simulated"), ("imported", "took place on another")):
        Run.objects.filter(pk=run.pk).update(origin=origin, status="ended")
        told = phases(Run.objects.get(pk=run.pk))
        assert words in told and "not reached" not in told and "Launched" not in told
