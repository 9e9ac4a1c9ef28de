"""A bundle's layout, as a folder or a zip: `manifest.json`, `deliveries/<source>.jsonl`, `blobs/<sha256>`.

Everything structural is checked here, before anything is written: version, manifest, names, sizes. Nothing is ever extracted.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from trajectories.events import millis
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.sources import SOURCES

FORMAT, VERSION = "agensh-run", 1
MANIFEST_BYTES = 1 << 20
TOTAL_BYTES = 64 << 30
RATIO, RATIO_FROM = 200, 64 << 20  # more than 200:1 is refused once it inflates beyond 64 MiB
BUFFER = 1 << 16
DAMAGED = (zlib.error, zipfile.BadZipFile, EOFError)  # what a zip with changed bytes raises, wherever it is read
_MEMBER = re.compile(r"manifest\.json|deliveries/([a-z]+)\.jsonl|blobs/[0-9a-f]{64}")


class BadBundle(ValueError):
    """The bundle as a whole is refused. The message names what is wrong and what would be right."""


class Bundle:
    """An opened bundle: its checked manifest and its members by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zip: zipfile.ZipFile | None = None
        if path.is_dir():
            self.names = list(_folder_names(path))
        else:
            self.zip = _open_zip(path)
            self.names = [info.filename for info in self.zip.infolist() if not info.is_dir()]
        for name in self.names:
            _check_name(name)
        self.manifest = self._read_manifest()
        self.sources = [name for name in SOURCES if f"deliveries/{name}.jsonl" in self.names]

    def open(self, name: str) -> IO[bytes]:
        """A member's bytes, inflated as they are read."""
        # A member of a zip finds the end of a line byte by byte; a buffer before it makes that three times as fast.
        if self.zip is None:
            return (self.path / name).open("rb")
        return io.BufferedReader(cast(io.RawIOBase, self.zip.open(name)), BUFFER)

    def size(self, name: str) -> int:
        """A member's length in bytes, inflated."""
        return self.zip.getinfo(name).file_size if self.zip else (self.path / name).stat().st_size

    def fingerprint(self) -> str:
        """Changes when a member does: an interrupted import goes on only with the file it began with."""
        if self.zip:
            told = [f"{info.filename} {info.file_size} {info.CRC}" for info in self.zip.infolist()]
        else:
            stats = [(name, (self.path / name).stat()) for name in self.names]
            told = [f"{name} {each.st_size} {each.st_mtime_ns}" for name, each in stats]
        return hashlib.sha256("\n".join(sorted(told)).encode()).hexdigest()

    def close(self) -> None:
        """Let go of the file."""
        if self.zip:
            self.zip.close()

    def _read_manifest(self) -> dict[str, Any]:
        if "manifest.json" not in self.names:
            raise BadBundle("manifest.json is missing")
        try:
            with self.open("manifest.json") as file:
                text = file.read(MANIFEST_BYTES + 1)
            manifest = read(text) if len(text) <= MANIFEST_BYTES else None
        except (Unreadable, *DAMAGED):
            manifest = None
        if not isinstance(manifest, dict):
            raise BadBundle("manifest.json is not a JSON object of at most 1 MiB")
        return checked(manifest)


def checked(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest, if it is one of ours. Raises BadBundle naming the field."""
    if manifest.get("format") != FORMAT:
        raise BadBundle(f"manifest.json: format is {manifest.get('format')!r}; it must be {FORMAT!r}")
    if manifest.get("version") != VERSION:
        raise BadBundle(f"manifest.json: version is {manifest.get('version')!r}; this release reads {VERSION}")
    if manifest.get("origin") not in {"recorded", "simulated"}:
        raise BadBundle(f"manifest.json: origin is {manifest.get('origin')!r}; it must be recorded or simulated")
    if type(manifest.get("scripted")) is not bool:
        raise BadBundle("manifest.json: scripted must be true or false")
    if not isinstance(manifest.get("run"), dict) or not isinstance(manifest.get("provenance", {}), dict):
        raise BadBundle("manifest.json: run and provenance must be objects")
    workers = manifest["run"].get("workers", 0)
    if type(workers) is not int or not 0 <= workers <= 65_535:
        raise BadBundle("manifest.json: run.workers must be an integer up to 65,535")
    for name in ("started_at", "ended_at"):
        value = manifest.get(name)
        try:
            if value is not None:
                millis(value)
        except (TypeError, ValueError, OverflowError):
            raise BadBundle(f"manifest.json: {name} must be an ISO 8601 time") from None
    return manifest


def _check_name(name: str) -> None:
    found = _MEMBER.fullmatch(name)
    if found is None:
        raise BadBundle(f"unexpected member {name[:120]!r}; a bundle holds manifest.json, deliveries/ and blobs/ only")
    if found[1] and found[1] not in SOURCES:
        raise BadBundle(f"unknown source {found[1]!r}; known: {', '.join(SOURCES)}")


def _folder_names(root: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            raise BadBundle(f"{path.relative_to(root)} is a symbolic link")
        if path.is_file():
            yield path.relative_to(root).as_posix()


def _open_zip(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise BadBundle(f"{path} does not exist") from None
    except (OSError, zipfile.BadZipFile, ValueError) as problem:
        raise BadBundle(f"{path} is neither a folder nor a zip: {problem}") from None
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise BadBundle("a member appears twice")
    total = 0
    for info in infos:
        if stat.S_ISLNK(info.external_attr >> 16):
            raise BadBundle(f"{info.filename!r} is a symbolic link")
        if info.flag_bits & 0x1:
            raise BadBundle(f"{info.filename!r} is encrypted")
        try:
            archive.open(info).close()  # its own head, which a damaged file may lack, and a way of packing we can undo
        except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError) as problem:
            raise BadBundle(f"{info.filename!r} cannot be read: {problem}") from None
        if info.file_size > RATIO_FROM and info.file_size > RATIO * max(info.compress_size, 1):
            raise BadBundle(f"{info.filename!r} inflates more than {RATIO}:1")
        total += info.file_size
    if total > TOTAL_BYTES:
        raise BadBundle(f"the bundle inflates to {total} bytes; at most {TOTAL_BYTES}")
    return archive
