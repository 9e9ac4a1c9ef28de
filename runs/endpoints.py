"""Where the listener reads a run's services: addresses, outboxes, and the files that hold the secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runs.folder import RunFolder
from runs.plan import CHANNEL, OWNER, TEAM
from runs.services.standing import Standing


def endpoints(
    folder: RunFolder, urls: Mapping[str, str], repo: str, rooms: tuple[str, str], standing: Standing
) -> dict[str, Any]:
    """The run's `endpoints`: no secret among them. An outbox is a DSN; that of a real service names a password file."""
    secrets = folder.secrets

    def outbox(name: str) -> str:
        own = f"sqlite:///{folder.service(name) / f'{name}.db'}"
        return standing.outbox(name) if name in standing.real else own

    def file(name: str) -> dict[str, str]:
        return {"token_file": str(secrets.path(name))}

    found: dict[str, Any] = {
        "forge": {
            "url": urls["forge"],
            "owner": OWNER,
            "repo": repo,
            "outbox": outbox("forge"),
            **file("forge_token"),
            "admin_token": file("forge_token"),
            "hook_secret": file("hook"),
            "sweep_s": 2,
            "conflict_s": 5,
        },
        "standins": [name for name in ("forge", "chat") if name in urls and name not in standing.real],
    }
    if "board" in urls:
        found["board"] = {
            "url": urls["board"],
            **file("board"),
            "outbox": outbox("board"),
        }
    if "chat" in urls:
        found["chat"] = {
            "url": urls["chat"],
            "team": TEAM,
            "channel": CHANNEL,
            "team_id": rooms[0],
            "channel_id": rooms[1],
            "outbox": outbox("chat"),
            **file("chat_token"),
            "admin_token": file("chat_token"),
        }
    found["gateway"] = {
        "url": urls["gateway"],
        **file("gateway"),
        "outbox": outbox("gateway"),
    }
    return found
