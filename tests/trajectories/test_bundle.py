"""Bundles: out and in again with an equal hash; a wrong structure refuses before the first write; a bad line costs itself."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from runs.models import Run
from tests.trajectories.told import FOLDER, delivery, new_run
from trajectories.bundle import BadBundle, export_bundle, import_bundle, layout, lines
from trajectories.derive import settle
from trajectories.ingest.store import store
from trajectories.models import Blob, Delivery, Stream
from trajectories.models.packing import pack

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "story")
    return tmp_path / "story"


def manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def zipped(folder: Path, path: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder).as_posix())
    return path


def refused(path: Path, words: str) -> None:
    with pytest.raises(BadBundle, match=words):
        import_bundle(path)
    assert not Run.objects.exists()
    assert not Delivery.objects.exists()


def test_import_makes_a_settled_run(folder: Path) -> None:
    done = import_bundle(folder)
    run = Run.objects.get()
    assert (run.slug, run.status, run.origin, run.scripted) == ("first-run", "ended", "imported", True)
    assert run.started_at is not None
    assert run.spec["workers"] == 4
    assert (done.stored.new, done.rejected_count) == (Delivery.objects.count(), 0)
    assert Stream.of(run.pk).settled
    assert done.hash == Stream.of(run.pk).settled_hash


def test_import_can_be_repeated_and_resumed(folder: Path) -> None:
    whole = (folder / "deliveries/gitea.jsonl").read_text()
    (folder / "deliveries/gitea.jsonl").write_text("".join(whole.splitlines(keepends=True)[:20]))
    part = import_bundle(folder)
    (folder / "deliveries/gitea.jsonl").write_text(whole)
    rest = import_bundle(folder)
    again = import_bundle(folder)
    assert part.run == rest.run == again.run
    assert (rest.stored.new > 0, again.stored.new) == (True, 0)
    assert part.hash != rest.hash == again.hash


def test_another_run_of_the_same_name_gets_another_slug(folder: Path) -> None:
    import_bundle(folder)
    manifest(folder, provenance={"other": 1})
    assert import_bundle(folder).run == "first-run-2"


@pytest.mark.parametrize("name", ["out.agrun.zip", "out"])
def test_export_then_import_gives_an_equal_hash(folder: Path, tmp_path: Path, name: str) -> None:
    first = import_bundle(zipped(folder, tmp_path / "in.agrun.zip"))
    count = export_bundle(Run.objects.get(), tmp_path / name)
    assert count == first.stored.new
    second = import_bundle(tmp_path / name)
    assert second.run != first.run
    assert (second.hash, second.stored.new, second.rejected_count) == (first.hash, count, 0)


def test_what_cannot_be_read_goes_out_and_in_unchanged(tmp_path: Path) -> None:
    run = new_run("odd")
    bodies = [b"\xff\xfe", b"[" * 5_000 + b"]" * 5_000, b"[NaN]", rb'"\ud800"', b'{\n "pretty":\r\n 1}', b"7" * 40]
    odd = [delivery(str(k), None, raw=raw, seq=k) for k, raw in enumerate(bodies)]
    odd[0].skew_ms = 3_600_000
    store(run.pk, "board", odd)
    Blob.objects.create(run=run, sha256="5" * 64, bytes=3, body=pack(b"abc"))
    settle(run.pk)
    export_bundle(run, tmp_path / "odd.zip")
    done = import_bundle(tmp_path / "odd.zip")
    assert (done.stored.new, done.rejected_count) == (len(bodies), 1)  # the blob's hash is wrong
    columns = ("delivery", "seq", "at", "received_at", "skew_ms", "bytes", "skipped")
    told = [
        list(Delivery.objects.filter(run__slug=slug).order_by("seq").values_list(*columns)) for slug in ("odd", "odd-2")
    ]
    unspaced = [[row[:5] + row[6:] for row in rows] for rows in told]
    assert unspaced[0] == unspaced[1]
    assert done.hash == Stream.of(run.pk).settled_hash


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version"),
        ({"format": "other"}, "format"),
        ({"origin": "invented"}, "origin"),
        ({"scripted": "yes"}, "scripted"),
        ({"run": []}, "run"),
        ({"run": {"workers": 65_536}}, "65,535"),
        ({"started_at": "soon"}, "started_at"),
    ],
)
def test_a_wrong_manifest_names_its_field(folder: Path, changes: dict[str, Any], words: str) -> None:
    manifest(folder, **changes)
    refused(folder, words)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "x" * (layout.MANIFEST_BYTES + 1)])
def test_a_manifest_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)
    refused(folder, "manifest.json")


def test_what_no_database_takes_in_a_manifest_is_made_safe(folder: Path) -> None:
    manifest(folder, run={"name": "a\x00b\ud800", "big": 10**30, "none": float("nan")})
    run = Run.objects.get(slug=import_bundle(folder).run)
    assert run.name == "a\u2400b\ufffd"
    assert run.spec["big"] == str(10**30)
    assert run.spec["none"] is None


def test_a_missing_manifest_or_file_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "manifest.json").unlink()
    refused(folder, "manifest.json is missing")
    refused(tmp_path / "nothing.zip", "does not exist")
    (tmp_path / "text.zip").write_text("no zip")
    refused(tmp_path / "text.zip", "neither a folder nor a zip")


@pytest.mark.parametrize(
    "name",
    [
        "../evil.jsonl",
        "/etc/passwd",
        "deliveries/../../x.jsonl",
        "deliveries\\run.jsonl",
        "C:/x",
        "deliveries/run.jsonl/x",
        "a",
    ],
)
def test_path_tricks_are_refused(folder: Path, tmp_path: Path, name: str) -> None:
    path = zipped(folder, tmp_path / "in.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "x")
    refused(path, "unexpected member|unknown source")


def test_an_unknown_source_is_refused(folder: Path) -> None:
    (folder / "deliveries/jira.jsonl").write_text("")
    refused(folder, "unknown source 'jira'")


def test_symbolic_links_are_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "deliveries/acp.jsonl").unlink()
    (folder / "deliveries/acp.jsonl").symlink_to("/etc/passwd")
    refused(folder, "symbolic link")
    info = zipfile.ZipInfo("deliveries/acp.jsonl")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr("manifest.json", (folder / "manifest.json").read_text())
        archive.writestr(info, "/etc/passwd")
    refused(tmp_path / "in.zip", "symbolic link")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    path = zipped(folder, tmp_path / "in.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("manifest.json", "{}")
    refused(path, "appears twice")


def test_a_bomb_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "RATIO_FROM", 1 << 20)
    (folder / "deliveries/acp.jsonl").write_bytes(b" " * (4 << 20))
    path = zipped(folder, tmp_path / "in.zip")
    refused(path, "inflates more than")
    monkeypatch.setattr(layout, "TOTAL_BYTES", 1 << 20)
    refused(zipped(folder, tmp_path / "plain.zip", zipfile.ZIP_STORED), "at most")


def test_bad_lines_are_counted_and_the_rest_goes_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES", 1 << 20)
    board = folder / "deliveries/board.jsonl"
    good = board.read_bytes()
    head = b'"seq":1,"at":"2026-01-01T00:00:00Z","received_at":"2026-01-01T00:00:00Z"'
    bad = [
        b"{broken",
        b"7",
        b'{"id":"a/b",' + head + b',"body":{}}',
        b'{"id":"x",' + head + b"}",
        b'{"id":"x",' + head + b',"body":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"id":"x",' + head + b',"body":"\xff"}',
        b'{"id":"x",' + head + b',"body":1,"headers":[]}',
        b'{"id":"x","seq":123456789012345678901234567890,"at":"2026-01-01T00:00:00Z","received_at":"2026-01-01T00:00:00Z","body":1}',
        b'{"id":"x","seq":1,"at":"never","received_at":"2026-01-01T00:00:00Z","body":1}',
        b'{"id":"x",' + head + b',"body_base64":"***"}',
        b'{"id":"x",' + head + b',"body":"' + b"y" * (2 << 20) + b'"}',
    ]
    board.write_bytes(b"\n".join([*bad, good]))
    plain = import_bundle(FOLDER).hash
    manifest(folder, provenance={"broken": True})
    done = import_bundle(folder)
    assert [row["line"] for row in done.rejections] == list(range(1, len(bad) + 1))
    assert all(row["reason"] and row["source"] == "board" for row in done.rejections)
    assert (done.as_json()["rejected"], done.hash) == (len(bad), plain)


def test_an_id_twice_is_stored_once(folder: Path) -> None:
    board = folder / "deliveries/board.jsonl"
    board.write_text(board.read_text() * 2)
    done = import_bundle(folder)
    assert done.stored.duplicates == len(board.read_text().splitlines()) / 2
