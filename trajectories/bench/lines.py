"""A bare HTTP/1.1 client on one kept connection: what a measuring program may cost beside what it measures."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit


class Line:
    """One connection of one caller; one call at a time."""

    def __init__(self, url: str, token: str) -> None:
        address = urlsplit(url)
        self._place = (address.hostname or "127.0.0.1", address.port or 80)
        self._head = f"Host: {address.netloc}\r\nAuthorization: Bearer {token}\r\n"
        self._turn = asyncio.Lock()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """Status and body of the answer. Raises OSError or EOFError where the other side goes away."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Length: {len(data)}\r\n\r\n"
        async with self._turn:
            if self._writer is None or self._reader is None:
                self._reader, self._writer = await asyncio.open_connection(*self._place, limit=1 << 20)
            self._writer.write(head.encode() + data)
            said = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            size = int(said.partition("content-length: ")[2].partition("\r\n")[0] or 0)
            return int(said.split(" ", 2)[1]), await self._reader.readexactly(size)

    async def json(self, method: str, path: str, body: object = None) -> Any:
        """The answer's JSON. Raises RuntimeError for any answer that is no success."""
        status, data = await self.call(method, path, body)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {data[:200]!r}")
        return json.loads(data)

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
