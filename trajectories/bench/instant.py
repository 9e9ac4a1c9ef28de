"""An app that takes every batch of a worker at once: what a turn costs when nobody has to wait for it."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncIterator


@contextlib.asynccontextmanager
async def taking() -> AsyncIterator[str]:
    """Serve it while the block runs; the address."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=1 << 24)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            size = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0] or 0)
            body, path = await reader.readexactly(size), head.split(" ", 2)[1]
            said = _taken(body) if path.endswith("/acp") else b"{}"
            answer = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
            writer.write(answer.encode() + said)
            await writer.drain()
    writer.close()


def _taken(batch: bytes) -> bytes:
    items = json.loads(gzip.decompress(batch))["items"]
    return json.dumps({"acknowledged": items[-1]["n"], "results": []}).encode()
