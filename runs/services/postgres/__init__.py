"""The team's PostgreSQL: one server for forge and chat, a database and a role for each, and a role that only reads. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runs.services.base import RealService
from runs.services.postgres.files import HBA, PASSWD, READER, START, passfile, roles, settings

# Not `postgres`: on the network of the app that is the name of the app's own database.
NAME = "teamdb"
MIB = 1 << 20

__all__ = ["NAME", "READER", "passfile", "service"]


def service(
    folder: Path,
    *,
    port: int,
    host: str,
    databases: Sequence[tuple[str, str]],
    reader: str,
    program: str = "/usr/local/bin",
) -> RealService:
    """PostgreSQL in `folder`, listening on `host`:`port`, with each (name, password) of `databases` and the reader's password.

    `program` is the folder with `initdb` and `postgres`. Any release from 15 on will do.
    """
    if set(program) & set(" \n'\"$`\\;*?"):
        raise ValueError(f"{program!r} cannot stand in a script")
    start = str(folder / "start.sh")
    return RealService(
        files={
            "start.sh": START.format(programs=program, port=port),
            "postgresql.conf": settings(port, host),
            "pg_hba.conf": HBA,
            "pg_ident.conf": "",
            "roles.sql": roles(databases, reader),
            "passwd": PASSWD,
        },
        argv=("/bin/sh", start),
        health_path="",
        memory_bytes=1024 * MIB,
        env={"HOME": str(folder)},
        compose={
            "healthcheck": ("/bin/sh", start, "ready"),
            "first": True,
            "reads": (str(folder / "passwd"),),
            "targets": {str(folder / "passwd"): "/etc/passwd"},
        },
    )
