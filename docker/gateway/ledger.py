"""The ledger: one row per request, numbered in the order they ended. SQLite; what is written survives a killed process."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_TABLES = """
CREATE TABLE IF NOT EXISTS ledger (n INTEGER PRIMARY KEY, tokens INTEGER NOT NULL, microusd INTEGER NOT NULL, row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS open (request TEXT PRIMARY KEY, began_at INTEGER NOT NULL, row TEXT NOT NULL);
"""


FIGURES = ("input_tokens", "cached_tokens", "written_tokens", "output_tokens", "reasoning_tokens", "cost_microusd")


def iso(at: int) -> str:
    """ISO 8601, UTC, milliseconds."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Ledger:
    """A request is `open` from its beginning, and one row once it has ended: a killed gateway forgets none.

    `tokens` and `microusd` are the sums so far, unknown figures counted as 0.
    """

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_TABLES)
        found = self._db.execute(
            "SELECT coalesce(max(n), 0), coalesce(sum(tokens), 0), coalesce(sum(microusd), 0) FROM ledger"
        )
        last, tokens, microusd = found.fetchone()
        self.last, self.tokens, self.microusd = int(last), int(tokens), int(microusd)
        self._at = 0
        self._close_the_orphans()

    def _close_the_orphans(self) -> None:
        """Requests that were under way when the gateway was killed: their tokens are unknown."""
        for request, began_at, row in self._db.execute(
            "SELECT request, began_at, row FROM open ORDER BY began_at"
        ).fetchall():
            took_ms = max(0, now_ms() - began_at)
            lost = {**dict.fromkeys(FIGURES), "status": 503, "took_ms": took_ms, "error": "the gateway was killed"}
            self.end(request, {**json.loads(row), **lost})

    def begin(self, request: str, row: Mapping[str, Any]) -> None:
        """A request is on its way."""
        self._db.execute("INSERT INTO open VALUES (?, ?, ?)", (request, now_ms(), json.dumps(row)))

    def end(self, request: str, row: Mapping[str, Any]) -> int:
        """It is over: its number. The row and the end of its being open are one transaction."""
        self._at = max(self._at, now_ms())  # the clock, never backwards: times rise with n
        n = self.last + 1
        whole = {"n": n, "at": iso(self._at), "request": request, **row}
        tokens = (row.get("input_tokens") or 0) + (row.get("output_tokens") or 0)
        microusd = row.get("cost_microusd") or 0
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.execute("INSERT INTO ledger VALUES (?, ?, ?, ?)", (n, tokens, microusd, json.dumps(whole)))
            self._db.execute("DELETE FROM open WHERE request = ?", (request,))
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self.last, self.tokens, self.microusd = n, self.tokens + tokens, self.microusd + microusd
        return n

    def after(self, n: int, limit: int) -> list[dict[str, Any]]:
        """Rows above `n`, in order."""
        rows = self._db.execute("SELECT row FROM ledger WHERE n > ? ORDER BY n LIMIT ?", (n, limit))
        return [json.loads(row[0]) for row in rows]

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()
