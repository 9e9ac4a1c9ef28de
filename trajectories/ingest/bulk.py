"""Rows written past the ORM: sqlite3's executemany, or PostgreSQL's binary COPY.

The caller holds the run's stream row, so nobody else inserts for that run and what it found to be new stays new: COPY may go
straight into the table, at the ceiling of what the database can do. SQLite keeps OR IGNORE as a second belt for what sources send.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from trajectories.models import Change, ChangePack, Delivery, EventRow, Pack

Row = tuple[Any, ...]

DELIVERY = (
    "run_id",
    "source",
    "delivery",
    "seq",
    "at",
    "received_at",
    "skew_ms",
    "headers",
    "body",
    "bytes",
    "skipped",
)
EVENT = (
    *("run_id", "n", "at", "rank", "seq", "source", "key", "part", "kind", "worker", "actor", "said_at", "fields"),
)
CHANGE = ("run_id", "generation", "c", "at", "ref", "op", "table", "key", "fields")
PACK = ("run_id", "n", "last_n", "at", "last_at", "worker", "life", "item", "last_item", "count", "body")
CHANGE_PACK = ("run_id", "generation", "c", "last_c", "at", "last_at", "body")
_TYPES = {
    Delivery: ("int8", "varchar", "varchar", "int8", "int8", "int8", "int8", "text", "bytea", "int4", "varchar"),
    EventRow: (
        *("int8", "int8", "int8", "int2", "int8", "varchar", "varchar", "int4", "varchar", "int4", "varchar"),
        *("int8", "text"),
    ),
    Change: ("int8", "int4", "int8", "int8", "varchar", "varchar", "varchar", "text", "text"),
    Pack: (*("int8", "int8", "int8", "int8", "int8", "int4", "int4", "int8", "int8", "int4"), "bytea"),
    ChangePack: ("int8", "int4", "int8", "int8", "int8", "int8", "bytea"),
}
_COLUMNS = {Delivery: DELIVERY, EventRow: EVENT, Change: CHANGE, Pack: PACK, ChangePack: CHANGE_PACK}


def insert(model: type, rows: Sequence[Row]) -> None:
    """Write the rows, in the order of the model's columns above, inside the present transaction."""
    if not rows:
        return
    table, columns = model._meta.db_table, ", ".join(f'"{name}"' for name in _COLUMNS[model])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({columns}) FROM STDIN (FORMAT BINARY)') as copy:
                copy.set_types(_TYPES[model])
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join("?" for _ in rows[0])
        # A change log is one deriver's: two writing the same number is a fault that must be seen.
        verb = "INSERT" if model in (Change, ChangePack) else "INSERT OR IGNORE"
        # The sqlite3 connection itself: Django's wrapper would rewrite every statement and log every row.
        statement = f'{verb} INTO "{table}" ({columns}) VALUES ({marks})'
        connection.connection.executemany(statement, rows)
