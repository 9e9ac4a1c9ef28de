"""A model that answers at once and an app that takes every batch: what a turn costs when nobody has to think."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

STEPS = 10  # shell calls in a turn
CALL = {"name": "shell", "arguments": '{"command":"true"}'}


@contextlib.asynccontextmanager
async def instant() -> AsyncIterator[str]:
    """Serve both while the block runs; the address."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=1 << 24)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            size = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0] or 0)
            body, path = await reader.readexactly(size), head.split(" ", 2)[1]
            if path.endswith("/chat/completions"):
                kind, said = "text/event-stream", _completion(json.loads(body))
            else:
                kind, said = "application/json", _taken(body) if path.endswith("/acp") else b"{}"
            answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(said)}\r\n\r\n"
            writer.write(answer.encode() + said)
            await writer.drain()
    writer.close()


def _completion(asked: dict[str, Any]) -> bytes:
    """A call of the shell until the turn has had all its steps, then a word; as a stream with usage."""
    roles = [message["role"] for message in asked["messages"]]
    done = roles[::-1].index("user") // 2
    delta: dict[str, Any] = {"content": "done"}
    if done < STEPS:
        delta = {
            "content": "",
            "tool_calls": [{"index": 0, "id": f"c{len(roles)}", "type": "function", "function": CALL}],
        }
    finish = {"delta": {}, "finish_reason": "tool_calls" if done < STEPS else "stop"}
    chunks = [{"choices": [{"delta": delta}]}, {"choices": [finish]}]
    chunks.append({"choices": [], "usage": {"prompt_tokens": 1_000, "completion_tokens": 20}})  # type: ignore[dict-item]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


def _taken(batch: bytes) -> bytes:
    items = json.loads(gzip.decompress(batch))["items"]
    return json.dumps({"acknowledged": items[-1]["n"], "results": []}).encode()
