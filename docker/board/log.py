"""The append-only log on disk: SQLite by default, PostgreSQL by `database_url`. One process writes it, from one thread."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

CREATE = "CREATE TABLE IF NOT EXISTS log (seq {integer} PRIMARY KEY, entry TEXT NOT NULL)"


class Log(Protocol):
    """What the board needs of a log."""

    last: int

    def append(self, entries: list[dict[str, Any]]) -> None:
        """Store entries durably, all or none; their `seq` goes on from `last`."""

    def after(self, seq: int, limit: int) -> list[dict[str, Any]]:
        """Entries above `seq`, in order."""

    def close(self) -> None:
        """Let go of the database."""


class SqliteLog:
    """`board.db`. WAL, synced at each commit: what was answered survives a killed process and a machine without power."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute(CREATE.format(integer="INTEGER"))
        self.last: int = self._db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()[0]

    def append(self, entries: list[dict[str, Any]]) -> None:
        """Store entries durably."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT INTO log (seq, entry) VALUES (?, ?)", _rows(entries))
        except sqlite3.Error:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self.last = entries[-1]["seq"]

    def after(self, seq: int, limit: int) -> list[dict[str, Any]]:
        """Entries above `seq`, in order."""
        rows = self._db.execute("SELECT entry FROM log WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
        return [json.loads(row[0]) for row in rows]

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()


class PostgresLog:
    """The same in PostgreSQL. An advisory lock keeps a second board from writing beside the first."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._db = psycopg.connect(url, autocommit=True)
        self._db.execute(CREATE.format(integer="BIGINT"))
        mine = self._db.execute("SELECT pg_try_advisory_lock(hashtext('agensh board ' || current_schema()))").fetchone()
        if not (mine and mine[0]):
            self._db.close()
            raise RuntimeError("another board writes this database")
        last = self._db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()
        self.last: int = last[0] if last else 0

    def append(self, entries: list[dict[str, Any]]) -> None:
        """Store entries durably. JSON text is pure ASCII, so PostgreSQL takes every string in it."""
        with self._db.transaction(), self._db.cursor() as cursor:
            cursor.executemany("INSERT INTO log (seq, entry) VALUES (%s, %s)", _rows(entries))
        self.last = entries[-1]["seq"]

    def after(self, seq: int, limit: int) -> list[dict[str, Any]]:
        """Entries above `seq`, in order."""
        query = "SELECT entry FROM log WHERE seq > %s ORDER BY seq LIMIT %s"
        return [json.loads(row[0]) for row in self._db.execute(query, (seq, limit))]

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()


def _rows(entries: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(entry["seq"], json.dumps(entry)) for entry in entries]


def open_log(data_dir: Path, database_url: str | None = None) -> Log:
    """The log that the configuration names."""
    if database_url:
        return PostgresLog(database_url)
    data_dir.mkdir(parents=True, exist_ok=True)
    return SqliteLog(data_dir / "board.db")


def replay(log: Log, page: int = 5_000) -> Iterator[dict[str, Any]]:
    """Every entry from the first, for the fold at start."""
    seq = 0
    while entries := log.after(seq, page):
        yield from entries
        seq = entries[-1]["seq"]
