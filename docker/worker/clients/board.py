"""The board over HTTP."""

from __future__ import annotations

from typing import Any

import httpx

from worker.clients.http import Service
from worker.config import Config


class Board(Service):
    """Notes: read, write, search, open."""

    def __init__(self, config: Config, client: httpx.AsyncClient) -> None:
        super().__init__("board", config, client)

    async def read(self, after: int = 0, via: str = "read") -> dict[str, Any]:
        """Live notes above `after`, logged as read."""
        answer: dict[str, Any] = await self.call("GET", "/notes", params={"after": after, "via": via})
        return answer

    async def wait(self, after: int, seconds: int) -> dict[str, Any]:
        """New notes above `after` as soon as there are any; not logged: they are shown later."""
        params = {"after": after, "via": "peek", "wait": seconds}
        answer: dict[str, Any] = await self.call("GET", "/notes", params=params, timeout=seconds + 15)
        return answer

    async def shown(self, upto: int, via: str) -> None:
        """Log that notes up to `upto` were shown."""
        await self.call("POST", "/reads", json={"via": via, "upto": upto})

    async def write(self, note: dict[str, Any]) -> dict[str, Any]:
        """Post a note."""
        answer: dict[str, Any] = await self.call("POST", "/notes", json=note)
        return answer

    async def grep(self, query: str) -> dict[str, Any]:
        """Search all notes."""
        answer: dict[str, Any] = await self.call("GET", "/grep", params={"q": query})
        return answer

    async def unfold(self, note: int) -> dict[str, Any]:
        """A note with its detail."""
        answer: dict[str, Any] = await self.call("GET", f"/notes/{note}")
        return answer
