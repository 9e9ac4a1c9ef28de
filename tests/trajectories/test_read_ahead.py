"""A big bundle is read by other processes: what they tell is what the importing one would have read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from runs.models import Run
from tests.trajectories.test_bundle import manifest
from tests.trajectories.told import FOLDER
from trajectories import processes
from trajectories.bundle import ahead, import_bundle
from trajectories.models import EventRow, Pack

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "story")
    return tmp_path / "story"


def test_a_bundle_read_ahead_by_other_processes_is_the_same_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acp = folder / "deliveries/acp.jsonl"
    texts = acp.read_bytes().splitlines(keepends=True)
    acp.write_bytes(b"".join([*texts[:3], b"{broken\n", *texts[3:]]))
    here = import_bundle(folder)
    manifest(folder, provenance={"elsewhere": True})
    monkeypatch.setattr(ahead, "FROM_BYTES", 0)
    started: list[Any] = []
    monkeypatch.setattr(ahead, "_heard", lambda process, heard=ahead._heard: started.append(process) or heard(process))
    there = import_bundle(folder)
    assert len(started) == ahead.ACP_HANDS + 1
    assert all(process.poll() is not None for process in started)
    assert (there.hash, there.stored, there.rejections) == (here.hash, here.stored, here.rejections)
    runs = [Run.objects.get(slug=each.run) for each in (here, there)]
    told = [
        list(EventRow.objects.filter(run=run).order_by("n").values_list("n", "source", "key", "kind")) for run in runs
    ]
    packs = [
        list(Pack.objects.filter(run=run).order_by("n").values_list("n", "last_n", "item", "body")) for run in runs
    ]
    assert (told[0], packs[0]) == (told[1], packs[1])


def test_a_reader_that_dies_ends_the_import_and_the_next_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = import_bundle(folder)
    manifest(folder, provenance={"elsewhere": True})
    monkeypatch.setattr(ahead, "FROM_BYTES", 0)
    with monkeypatch.context() as dying:
        dying.setattr(processes, "START", "raise SystemExit")
        with pytest.raises(RuntimeError, match="ended before it was done"):
            import_bundle(folder)
    assert import_bundle(folder).hash == whole.hash
