"""Outboxes of other services, read only: one SQL for SQLite and PostgreSQL, chosen by the DSN."""

from __future__ import annotations

import atexit
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import quote


class OutboxUnread(Exception):
    """An outbox could not be opened or read; the message says which and why. Nothing is lost: read again later."""


class Outbox(Protocol):
    """A read-only database. Placeholders are `?`."""

    is_sqlite: bool

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Every row as a dict with lower-case names."""


class _Sqlite:
    is_sqlite = True

    def __init__(self, path: str) -> None:
        self.path = path
        self.db = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=5.0, isolation_level=None)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        found = self.db.execute(sql, tuple(values))
        names = [column[0].lower() for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def close(self) -> None:
        self.db.close()


class _Postgres:
    is_sqlite = False

    def __init__(self, dsn: str) -> None:
        import psycopg  # only a forge or chat on PostgreSQL needs it

        self.used_at = time.monotonic()
        self.db = psycopg.connect(dsn, autocommit=True, connect_timeout=5)
        self.db.execute("SET default_transaction_read_only = on")

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        with self.db.cursor() as cursor:
            cursor.execute(sql.replace("%", "%%").replace("?", "%s").encode(), tuple(values))
            names = [column.name.lower() for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def answers(self) -> bool:
        """False for a connection whose server has gone or was started anew."""
        try:
            self.db.execute("SELECT 1")
        except Exception:
            return False
        return True

    def close(self) -> None:
        self.db.close()


class _Idle:
    """Connections between two readings: an outbox is read four times a second, and signing in costs more than reading."""

    MOST_S = 30.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, list[_Postgres]] = {}

    def take(self, dsn: str) -> _Postgres:
        """One that answers, else a new one."""
        while (box := self._pop(dsn)) is not None:
            if box.answers():
                return box
            box.close()
        return _Postgres(dsn)

    def _pop(self, dsn: str) -> _Postgres | None:
        with self._lock:
            self._forget_old()
            boxes = self._kept.get(dsn)
            return boxes.pop() if boxes else None

    def give_back(self, dsn: str, box: _Postgres) -> None:
        box.used_at = time.monotonic()
        with self._lock:
            self._kept.setdefault(dsn, []).append(box)

    def close(self) -> None:
        """The program ends: let go of everything."""
        with self._lock:
            boxes, self._kept = [each for kept in self._kept.values() for each in kept], {}
        for box in boxes:
            box.close()

    def _forget_old(self) -> None:
        edge = time.monotonic() - self.MOST_S
        for dsn, boxes in list(self._kept.items()):
            for box in [each for each in boxes if each.used_at < edge]:
                boxes.remove(box)
                box.close()
            if not boxes:
                del self._kept[dsn]


_idle = _Idle()
atexit.register(_idle.close)


@contextmanager
def reading(dsn: str) -> Iterator[Outbox]:
    """The outbox behind `sqlite:////abs/path` or `postgresql://..`. Raises OutboxUnread."""
    box: _Sqlite | _Postgres | None = None
    try:
        if dsn.startswith("sqlite:///"):
            box = _Sqlite(dsn.removeprefix("sqlite:///"))
        elif dsn.startswith(("postgresql://", "postgres://")):
            box = _idle.take(dsn)
        else:
            raise OutboxUnread("an outbox is named by sqlite:////path or postgresql://..")
        yield box
        if isinstance(box, _Postgres):
            _idle.give_back(dsn, box)
            box = None
    except OutboxUnread:
        raise
    except Exception as failed:
        if not _is_database_error(failed):
            raise
        raise OutboxUnread(f"{_name(dsn)}: {failed}") from failed
    finally:
        if box is not None:
            box.close()


def _is_database_error(failed: Exception) -> bool:
    return isinstance(failed, sqlite3.Error) or type(failed).__module__.partition(".")[0] == "psycopg"


def _name(dsn: str) -> str:
    # A password may stand before the @, and where a password file lies is nobody's business: neither is part of a message.
    return dsn.rpartition("@")[2].partition("?")[0] if "@" in dsn else dsn
