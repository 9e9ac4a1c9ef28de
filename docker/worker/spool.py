"""The spool: every item of a life on disk, in order, before anybody is told. `spool/<life>.jsonl`, `<life>.ack`, `blobs/<sha256>`.

A line is an item as it is shipped: `{"n", "at", "dir", "session", "turn", "msg"}` with n dense from 1. `<life>.ack` holds the highest n the
app has made durable. Files stay until the run folder goes, so that what was shipped can be compared with what was said.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worker.cut import cut
from worker.times import now_iso


class Spool:
    """The writing end: one life of one worker."""

    def __init__(self, folder: Path, life: int) -> None:
        self.folder, self.life = folder, life
        (folder / "blobs").mkdir(parents=True, exist_ok=True)
        path = folder / f"{life}.jsonl"
        self.last = mend(path)
        self._file = path.open("ab", buffering=1 << 16)
        self._dirty = False

    def append(self, dir: str, msg: Any, session: int = 0, turn: int = 0, at: str | None = None) -> int:
        """Add one item; its n. It is on disk after the next `flush`."""
        n = self.last + 1
        item = {
            "n": n,
            "at": at or now_iso(),
            "dir": dir,
            "session": session,
            "turn": turn,
            "msg": cut(msg, self._keep),
        }
        self._file.write(json.dumps(item, separators=(",", ":")).encode() + b"\n")
        self.last, self._dirty = n, True
        return n

    def flush(self) -> None:
        """Put everything appended on disk. Does nothing if nothing is new."""
        if self._dirty:
            self._file.flush()
            os.fdatasync(self._file.fileno())
            self._dirty = False

    def close(self) -> None:
        """Flush and let go."""
        self.flush()
        self._file.close()

    def _keep(self, digest: str, data: bytes) -> None:
        path = self.folder / "blobs" / digest
        if not path.exists():
            beside = path.with_suffix(".part")
            beside.write_bytes(data)
            beside.replace(path)


def mend(path: Path) -> int:
    """The number of whole lines of a spool file; a torn last line (a killed writer) is cut off."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)
    return data[:whole].count(b"\n")


def lives(folder: Path) -> list[int]:
    """Lives that have a spool here, oldest first."""
    return sorted(int(path.stem) for path in folder.glob("*.jsonl") if path.stem.isdecimal())


def acknowledged(folder: Path, life: int) -> int:
    """The highest n of a life that the app has made durable."""
    try:
        return int((folder / f"{life}.ack").read_text())
    except (OSError, ValueError):
        return 0


def acknowledge(folder: Path, life: int, n: int) -> None:
    """Remember what is durable, in one step."""
    beside = folder / f"{life}.ack.part"
    beside.write_text(str(n))
    beside.replace(folder / f"{life}.ack")


class Reader:
    """The reading end of one life: items after the acknowledged one, each line read once while shipping goes well."""

    def __init__(self, folder: Path, life: int) -> None:
        self.folder, self.life = folder, life
        self.next = acknowledged(folder, life) + 1
        self._path = folder / f"{life}.jsonl"
        self._offset, self._n = 0, 0  # bytes and lines before `_offset`

    def page(self, most: int, most_bytes: int) -> list[bytes]:
        """Whole lines from item `next` on. Lines still being written are left for the next call."""
        found: list[bytes] = []
        size = 0
        for line in self._lines():
            if found and (len(found) == most or size + len(line) > most_bytes):
                break
            found.append(line)
            size += len(line)
        return found

    def _lines(self) -> Iterator[bytes]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                if self._n + 1 < self.next:  # acknowledged: never needed again
                    self._offset += len(line)
                    self._n += 1
                    continue
                yield line

    def done(self, n: int) -> None:
        """Items up to n are durable at the app."""
        self.next = max(self.next, n + 1)
        acknowledge(self.folder, self.life, self.next - 1)
