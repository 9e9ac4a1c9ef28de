"""Mattermost as a team's chat: what its container runs, reads and may use. Pure; its configuration is in `files.py`."""

from __future__ import annotations

from pathlib import Path

from runs.services.base import Database, RealService
from runs.services.mattermost.files import config

NAME = "chat"
MIB = 1 << 20
HEALTH = "/api/v4/system/ping"
PROGRAM = "/mattermost/bin/mattermost"  # where Team Edition's image has it
# What the source reads, and the reader may: of people their names, never what they sign in with.
OUTBOX = {
    "posts": (),
    "reactions": (),
    "channels": ("id", "type", "name", "displayname"),
    "channelmembers": ("channelid", "userid"),
    "users": ("id", "username"),
}


def service(
    folder: Path, *, url: str, host: str, database: Database, workers: int, program: str = PROGRAM
) -> RealService:
    """Mattermost in `folder` (its own, bound at the same path), known as `url`, listening on `host` at the port of `url`.

    The configuration file is written once: Mattermost keeps its own keys in it. It holds the database's password, hence mode 0600;
    no secret is in the environment or among the arguments.
    """
    port = url.rpartition(":")[2]
    number = int(port) if port.isdigit() else 80
    return RealService(
        files={
            "mattermost.json": config(
                folder=folder, url=url, listen=f"{host}:{number}", database=database, workers=workers
            )
        },
        argv=(program, "server", "--config", str(folder / "mattermost.json")),
        # Nothing is asked of Mattermost's own servers; the folder is its home because its image's is read-only.
        env={"HOME": str(folder), "TMPDIR": "/tmp", "MM_SERVICEENVIRONMENT": "production"},  # noqa: S108 - in memory
        health_path=HEALTH,
        # Measured in README.md. The image has no shell and no curl: health is asked from outside.
        memory_bytes=(640 + workers // 2) * MIB,
        compose={},
    )
