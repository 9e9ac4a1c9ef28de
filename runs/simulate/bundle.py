"""Writes deliveries as a bundle, one open file per source, so that memory does not grow with the run."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(at: int) -> str:
    """ISO 8601 UTC with milliseconds, from milliseconds since the epoch."""
    return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def digest(text: str) -> str:
    """40 hex digits for a text: stands in for commit ids."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Bundle:
    """`deliver` appends a line to its source; `close` writes the manifest and, for `*.zip`, packs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Removed with this object too: whoever stops the simulation leaves nothing behind.
        self.beside = tempfile.TemporaryDirectory(prefix=".agrun-", dir=path.parent) if path.suffix == ".zip" else None
        self.folder = Path(self.beside.name) if self.beside else path
        (self.folder / "deliveries").mkdir(parents=True, exist_ok=True)
        self.files: dict[str, IO[str]] = {}
        self.counts: dict[str, int] = {}
        self.lines: dict[str, int] = {}

    def next(self, source: str) -> int:
        """The sequence number the source's next delivery gets, from 1."""
        self.counts[source] = self.counts.get(source, 0) + 1
        return self.counts[source]

    def deliver(
        self,
        source: str,
        id: str,
        seq: int,
        at: int,
        body: Any,
        headers: dict[str, str] | None = None,
        sent_at: int | None = None,
    ) -> None:
        """Append one delivery; `at` is ms since the epoch, and so is `sent_at`, where what happened then was sent later."""
        if source not in self.files:
            self.files[source] = (self.folder / "deliveries" / f"{source}.jsonl").open("w", encoding="utf-8")
        line = {
            "id": id,
            "seq": seq,
            "at": iso(at),
            "received_at": iso((at if sent_at is None else sent_at) + 80),
            "headers": headers or {},
            "body": body,
        }
        self.lines[source] = self.lines.get(source, 0) + 1
        self.files[source].write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")

    def close(self, manifest: dict[str, Any]) -> None:
        """Finish the bundle; the zip replaces `path` in one step."""
        for file in self.files.values():
            file.close()
        (self.folder / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        if self.beside is None:
            return
        part = self.path.with_suffix(".part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in ["manifest.json", *(f"deliveries/{source}.jsonl" for source in sorted(self.files))]:
                # A fixed date: equal arguments give equal bytes.
                entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                with (self.folder / name).open("rb") as file, archive.open(entry, "w", force_zip64=True) as packed:
                    shutil.copyfileobj(file, packed, 1 << 20)
        part.replace(self.path)
        self.beside.cleanup()
