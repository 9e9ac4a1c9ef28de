"""One SQLite file: a single writer, readers that never wait for it, changes that are all or nothing."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Store:
    """A connection behind a lock. Calls are short; git and network work is done outside of `change`."""

    def __init__(self, path: str | Path, schema: str) -> None:
        self.path = Path(path)
        self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=30)
        self._db.row_factory = sqlite3.Row
        self._lock = threading.RLock()
        self._depth = 0
        self.after_change: Callable[[], None] | None = None
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(schema)

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """One transaction; nested changes join the outer one. `after_change` is called once it is committed."""
        with self._lock:
            outer = self._depth == 0
            if outer:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self._db
            except BaseException:
                if outer:
                    self._db.execute("ROLLBACK")
                raise
            else:
                if outer:
                    self._db.execute("COMMIT")
            finally:
                self._depth -= 1
        if outer and self.after_change is not None:
            self.after_change()

    def all(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Every row."""
        with self._lock:
            return [dict(row) for row in self._db.execute(sql, values)]

    def one(self, sql: str, *values: Any) -> dict[str, Any] | None:
        """The first row or None."""
        with self._lock:
            row = self._db.execute(sql, values).fetchone()
        return None if row is None else dict(row)

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row or None."""
        with self._lock:
            row = self._db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def add(self, table: str, **fields: Any) -> int:
        """Insert a row, answer its id."""
        names = ", ".join(f'"{name}"' for name in fields)
        marks = ", ".join("?" * len(fields))
        with self.change() as db:
            # Table and column names come from this code, never from a request.
            done = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(fields.values()))  # noqa: S608
            return int(done.lastrowid or 0)

    def set(self, table: str, id: Any, **fields: Any) -> None:
        """Update the row with this id."""
        names = ", ".join(f"{name} = ?" for name in fields)
        with self.change() as db:
            db.execute(f"UPDATE {table} SET {names} WHERE id = ?", (*fields.values(), id))  # noqa: S608

    def close(self) -> None:
        """Write the log back, so that the file can be read alone."""
        with self._lock:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()


_clock = threading.Lock()
_last_ms = 0


def now_ms() -> int:
    """Milliseconds since the epoch, never the same twice: two changes of one row are told apart by their times."""
    global _last_ms
    with _clock:
        _last_ms = max(time.time_ns() // 1_000_000, _last_ms + 1)
        return _last_ms
