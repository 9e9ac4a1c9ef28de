"""Export: the raw deliveries of a run as a bundle. Import of it gives an equal State hash."""

from __future__ import annotations

import base64
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from runs.models import Run
from trajectories.bundle.layout import FORMAT, VERSION
from trajectories.events import iso
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.models import Blob, Delivery
from trajectories.models.packing import unpack
from trajectories.sources import SOURCES

OURS = {"bundle", "totals"}  # what this installation noted about the run
COLUMNS = ("delivery", "seq", "at", "received_at", "skew_ms", "headers", "body")


def export_bundle(run: Run, path: Path) -> int:
    """Write a zip if `path` ends in `.zip`, else a folder; returns the number of deliveries. Raises FileExistsError."""
    if path.exists():
        raise FileExistsError(f"{path} exists")
    if path.suffix == ".zip":
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            count = write_zip(run, file)
        part.rename(path)
        return count
    part = path.with_name(path.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    count = 0
    for name, chunks in _members(run):
        target = part / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            count += _write(file, chunks)
    part.rename(path)
    return count


def write_zip(run: Run, file: IO[bytes]) -> int:
    """The bundle as a zip into an open file; returns the number of deliveries."""
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, chunks in _members(run):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                count += _write(member, chunks)
    return count


def manifest(run: Run) -> dict[str, Any]:
    """The manifest of a run."""
    provenance = {name: value for name, value in run.provenance.items() if name not in OURS}
    origin = "simulated" if run.origin == Run.Origin.SIMULATED else "recorded"
    spec = {**run.spec, "slug": run.slug, "name": run.name, "task": run.task}
    times = {name: _iso(getattr(run, name)) for name in ("started_at", "ended_at")}
    facts = {"format": FORMAT, "version": VERSION, "origin": origin, "scripted": run.scripted, "run": spec}
    return {**facts, **times, "outcome": run.outcome, "provenance": provenance}


def _members(run: Run) -> Iterator[tuple[str, Iterator[bytes]]]:
    yield "manifest.json", iter([orjson.dumps(manifest(run), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)])
    for source in SOURCES:
        rows = Delivery.objects.filter(run=run, source=source).order_by("received_at", "seq", "delivery")
        if rows.exists():
            yield f"deliveries/{source}.jsonl", map(_line, rows.values_list(*COLUMNS).iterator(500))
    for sha256, body in Blob.objects.filter(run=run).order_by("sha256").values_list("sha256", "body").iterator(50):
        yield f"blobs/{sha256}", iter([unpack(body)])


def _line(row: tuple[Any, ...]) -> bytes:
    delivery, seq, at, received_at, skew_ms, headers, body = row
    head: dict[str, Any] = {"id": delivery, "seq": seq, "at": iso(at), "received_at": iso(received_at)}
    if skew_ms:
        head["skew_ms"] = skew_ms
    head["headers"] = json.loads(headers)
    return orjson.dumps(head)[:-1] + b"," + _body(unpack(body)) + b"}\n"


def _body(raw: bytes) -> bytes:
    """The body as it came; what is not JSON that everybody reads goes as base64."""
    try:
        read(raw)
        orjson.loads(raw)
    except (Unreadable, orjson.JSONDecodeError):
        return b'"body_base64":"' + base64.b64encode(raw) + b'"'
    # A newline can only be white space between tokens here: inside strings JSON has it escaped.
    return b'"body":' + raw.replace(b"\n", b" ").replace(b"\r", b" ")


def _write(file: IO[bytes], chunks: Iterator[bytes]) -> int:
    count = 0
    for chunk in chunks:
        file.write(chunk)
        count += chunk.endswith(b"}\n")
    return count


def _iso(moment: Any) -> str | None:
    return None if moment is None else iso(round(moment.timestamp() * 1000))
