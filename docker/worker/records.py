"""The worker's own database: one file for all its lives, written by the newest life alone."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Superseded(Exception):
    """A newer life of this worker works with these records: this one has nothing to say any more."""


class Records:
    """SQLite, WAL: what was committed survives a killed process. `memory` holds small values by name.

    A life takes the file over when it opens it; an older one that comes back (its node was away, its process was halted) is refused.
    """

    def __init__(self, path: Path, life: int, tables: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._life = life
        self.db = sqlite3.connect(path, isolation_level=None, timeout=20)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")
        self.db.executescript("CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT);" + tables)
        with self.writing():
            self.put("life", life)

    def check(self) -> None:
        """Raises Superseded if a newer life has taken over."""
        newest = int(self.get("life") or 0)
        if newest > self._life:
            raise Superseded(f"life {newest} has taken over from life {self._life}")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction of the newest life; rolled back if the block raises. Raises Superseded before anything is written."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.check()
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def get(self, name: str) -> str | None:
        """The JSON kept under a name."""
        row = self.db.execute("SELECT value FROM memory WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name, inside a transaction."""
        self.db.execute("INSERT OR REPLACE INTO memory VALUES (?, ?)", (name, json.dumps(value)))

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()
