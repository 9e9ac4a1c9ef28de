"""A bundle whose bytes were changed on the way: what can be read goes in, what cannot is said, nothing breaks."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person
from tests.trajectories.test_bundle import zipped
from tests.trajectories.told import FOLDER
from trajectories.bundle import BadBundle, import_bundle
from trajectories.models import Delivery, Stream

pytestmark = pytest.mark.django_db


def damaged(folder: Path, member: str, share: float) -> Path:
    """The first-run bundle with some bytes of a member changed, so far into it."""
    path = zipped(FOLDER, folder / "damaged.agrun.zip")
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(member)
    begin = info.header_offset + 30 + len(info.filename)
    place = begin + int(info.compress_size * share)
    data = bytearray(path.read_bytes())
    data[place : place + 40] = bytes(byte ^ 0x5A for byte in data[place : place + 40])
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("source", ["board", "acp", "gitea"])
def test_a_damaged_member_costs_what_comes_after_the_damage(tmp_path: Path, source: str, share: float) -> None:
    done = import_bundle(damaged(tmp_path, f"deliveries/{source}.jsonl", share))
    told = [row for row in done.rejections if "damaged from here on" in row["reason"]]
    assert [row["source"] for row in told] == [source]
    run = Run.objects.get()
    assert run.status == "ended" and Stream.of(run.pk).settled
    whole = {name: len((FOLDER / f"deliveries/{name}.jsonl").read_text().splitlines()) for name in ("run", "board")}
    for name in set(whole) - {source}:
        assert Delivery.objects.filter(source=name).count() == whole[name]


def test_a_damaged_manifest_or_head_refuses_the_bundle(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match="manifest"):
        import_bundle(damaged(tmp_path, "manifest.json", 0.2))
    path = zipped(FOLDER, tmp_path / "headless.agrun.zip")
    with zipfile.ZipFile(path) as archive:
        place = archive.getinfo("deliveries/board.jsonl").header_offset
    data = bytearray(path.read_bytes())
    data[place : place + 4] = b"none"
    path.write_bytes(data)
    with pytest.raises(BadBundle, match=r"board\.jsonl.*cannot be read"):
        import_bundle(path)
    assert not Run.objects.exists()


def test_the_page_speaks_of_the_file_as_the_person_named_it(tmp_path: Path) -> None:
    client = Client()
    client.force_login(make_person("olga", "operator"))
    half = zipped(FOLDER, tmp_path / "x.zip").read_bytes()[:900]
    told = client.post("/import", {"bundle": SimpleUploadedFile("mine.agrun.zip", half)})
    assert told.status_code == 422
    assert "mine.agrun.zip is neither a folder nor a zip" in told.text and "uploads" not in told.text
