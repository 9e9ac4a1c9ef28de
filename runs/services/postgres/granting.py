"""What is asked of a run's PostgreSQL by the launcher: does it answer, and may the reader read what the listener reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import psycopg
from psycopg import sql

from runs.bootstrap.client import BootstrapError
from runs.services.base import Database
from runs.services.postgres.files import READER


def answers(dsn: str) -> bool:
    """True if the server takes the reader's connection."""
    try:
        psycopg.connect(dsn, connect_timeout=3).close()
    except psycopg.Error:
        return False
    return True


def let_read(database: Database, tables: Mapping[str, Sequence[str]]) -> None:
    """Let the reader read these tables (of some only the columns named), as their owner says. Said again, nothing changes."""
    try:
        with psycopg.connect(
            host=database.host,
            port=database.port,
            dbname=database.name,
            user=database.user,
            password=database.password,
            connect_timeout=5,
        ) as db:
            for table, columns in tables.items():
                named = sql.SQL("({})").format(sql.SQL(", ").join(map(sql.Identifier, columns)))
                db.execute(
                    sql.SQL("GRANT SELECT {} ON {} TO {}").format(
                        named if columns else sql.SQL(""), sql.Identifier(table), sql.Identifier(READER)
                    )
                )
    except psycopg.Error as problem:
        raise BootstrapError(f"database {database.name}: {problem}") from problem
