"""Imports that a page asked for: seen while they come in, gone on with after a stop, refused with the reason."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.access import give_role
from runs.models import Run
from tests.trajectories.test_bundle import zipped
from tests.trajectories.told import FOLDER
from trajectories import bringing
from trajectories.bundle import import_bundle
from trajectories.bundle.importing import Paused
from trajectories.models import Delivery, ImportJob, Stream
from trajectories.models.job import me

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    person = User.objects.create_user("ann")
    give_role(person, "operator")
    made = Client()
    made.force_login(person)
    return made


def uploaded(name: str = "up.agrun.zip") -> ImportJob:
    return bringing.ask(name, zipped(FOLDER, bringing.folder() / name), "ann")


def page(client: Client, job: ImportJob) -> str:
    return client.get(f"/import/{job.pk}").content.decode()


def test_an_upload_is_brought_in_and_removed(client: Client) -> None:
    job = uploaded()
    assert ImportJob.left_alone() == [job.pk]
    assert 'hx-trigger="every 1s"' in page(client, job)
    bringing.bring_in(job)
    assert (job.phase, Run.objects.get().status, Path(job.path).exists()) == ("done", "ended", False)
    assert ImportJob.left_alone() == []
    shown = page(client, job)
    assert "/runs/first-run/replay" in shown
    assert "hx-trigger" not in shown


def test_what_is_no_bundle_is_refused_with_the_reason(client: Client) -> None:
    path = bringing.folder() / "junk.agrun.zip"
    path.write_text("junk")
    job = bringing.ask("junk", path, "ann")
    bringing.bring_in(job)
    assert (job.phase, path.exists(), Run.objects.exists()) == ("refused", False, False)
    assert "neither a folder nor a zip" in page(client, job)


def test_the_big_run_is_made_once_and_then_replayed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bringing, "BIG", {"workers": 4, "hours": 0.05, "seed": 7})
    assert b"Replay a 1,024-worker run (simulated)" in client.get("/").content
    where = client.post("/import/simulated")["Location"]
    assert client.post("/import/simulated")["Location"] == where
    job = ImportJob.objects.get()
    assert where == f"/import/{job.pk}"
    told: list[str] = []
    bringing.bring_in(job, lambda each: told.append(each.phase))
    run = Run.objects.get()
    assert (run.origin, job.phase, told[-1]) == ("simulated", "done", "done")
    assert client.post("/import/simulated")["Location"] == f"/runs/{run.slug}/replay"
    assert b"simulated" in client.get(f"/runs/{run.slug}/replay").content


def test_of_two_who_ask_at_once_one_finds_the_job_of_the_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bringing, "BIG", {"workers": 4, "hours": 0.05, "seed": 7})
    first = bringing.ask_big("ann")
    monkeypatch.setattr(bringing, "big_job", lambda: None)  # read before the other's was there
    assert bringing.ask_big("ben") == first
    assert list(ImportJob.objects.all()) == [first]


def test_what_is_being_made_can_be_stopped_and_asked_for_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bringing, "BIG", {"workers": 4, "hours": 0.05, "seed": 7})
    before = set(bringing.folder().iterdir())  # what other tests left, in whatever order they came
    client.post("/import/simulated")
    (bringing.folder() / ".agrun-left-by-one-killed").mkdir()
    job = ImportJob.objects.get()
    assert f"/import/{job.pk}/stop" in page(client, job)
    bringing.bring_in(job, lambda each: client.post(f"/import/{job.pk}/stop"))
    assert set(bringing.folder().iterdir()) == before and ImportJob.left_alone() == []
    shown = page(client, job)
    assert "Stopped:" in shown and "Stopped by ann." in shown and "hx-trigger" not in shown
    again = client.post("/import/simulated")["Location"]
    assert again != f"/import/{job.pk}"
    bringing.bring_in(ImportJob.objects.latest("pk"))
    assert Run.objects.get().status == "ended"


def test_an_upload_that_is_stopped_while_it_is_stored_keeps_what_is_in_and_goes_on_when_sent_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trajectories.bundle import storing

    monkeypatch.setattr(storing, "BATCH", 20)
    job = uploaded()

    def stop_when_some_is_in(each: ImportJob) -> None:
        if Delivery.objects.exists():
            client.post(f"/import/{job.pk}/stop")

    monkeypatch.setattr(bringing._Wanted, "__call__", lambda self, now=False: self._rows.exists())
    bringing.bring_in(job, stop_when_some_is_in)
    held = Delivery.objects.count()
    assert 0 < held < 100
    assert "goes on from there" in page(client, job)
    bringing.bring_in(uploaded("again.agrun.zip"))
    assert Run.objects.get().status == "ended"
    assert Delivery.objects.count() > held


def test_a_stop_that_comes_too_late_changes_nothing(client: Client) -> None:
    job = uploaded()
    bringing.bring_in(job)
    client.post(f"/import/{job.pk}/stop")
    job.refresh_from_db()
    assert job.phase == "done"


def test_viewers_are_not_offered_it(client: Client) -> None:
    person = User.objects.create_user("vera")
    give_role(person, "viewer")
    client.force_login(person)
    assert b"/import/simulated" not in client.get("/").content
    assert client.post("/import/simulated").status_code == 403
    assert not ImportJob.objects.exists()


def test_each_job_gets_one_process_and_another_when_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    class Child:
        over: int | None = None

        def __init__(self, command: list[str], **options: Any) -> None:
            started.append(command)

        def poll(self) -> int | None:
            return self.over

    monkeypatch.setattr(bringing.subprocess, "Popen", Child)
    monkeypatch.setattr(bringing, "_children", {})
    job = uploaded()
    bringing.drive()
    bringing.drive()
    assert [command[-2:] for command in started] == [["--job", str(job.pk)]]
    job.take()
    monkeypatch.setattr(Child, "over", -9)
    bringing.drive()
    assert len(started) == 1, "its holder, this process, is alive"
    host, pid, _ = me().split(":")
    ImportJob.objects.update(holder=f"{host}:{pid}:1", moved_at=0)  # the same number, another process
    bringing.drive()
    assert len(started) == 2


def test_an_import_that_is_stopped_goes_on_after_the_lines_it_has_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trajectories.bundle import storing

    monkeypatch.setattr(storing, "BATCH", 20)
    monkeypatch.setattr(storing, "KEEP_S", 0.0)
    shutil.copytree(FOLDER, tmp_path / "story")
    bad = tmp_path / "story/deliveries/board.jsonl"
    bad.write_text("{broken\n" + bad.read_text())
    whole = import_bundle(tmp_path / "story").hash
    Run.objects.all().delete()
    steps = iter([True, True, True])
    with pytest.raises(Paused):
        import_bundle(tmp_path / "story", goes_on=lambda: next(steps, False))
    held = Delivery.objects.count()
    assert 60 <= held < 100
    done = import_bundle(tmp_path / "story")
    assert (done.hash, done.rejected_count) == (whole, 1)
    assert done.stored.duplicates == 0, "lines that are stored are not read again"
    assert done.stored.new == Delivery.objects.count() > held
    assert Stream.of(Run.objects.get().pk).settled
