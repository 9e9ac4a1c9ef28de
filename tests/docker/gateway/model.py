"""A model endpoint for tests, on a real socket: it does what the test puts into its queue and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Act = Callable[["Seen", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class FakeModel:
    """Acts are taken from `acts` in order; when there are none left, `usual` is done."""

    usual: Act
    acts: deque[Act] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)
    url: str = ""
    _server: asyncio.Server | None = None
    _serving: set[asyncio.Task[Any]] = field(default_factory=set)

    async def start(self) -> FakeModel:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        return self

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._serving):
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            seen = Seen(first.split(" ")[1], headers, json.loads(body or b"{}"))
            self.seen.append(seen)
            act = self.acts.popleft() if self.acts else self.usual
            await act(seen, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # cancelled = the test is over
        finally:
            self._serving.discard(task)
            writer.close()


def head(status: int, kind: str, **headers: str) -> bytes:
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n".encode()


def whole(value: Any, status: int = 200, **headers: str) -> Act:
    """Answer with JSON, or with text as it stands."""
    text = value if isinstance(value, str) else json.dumps(value)

    async def act(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, "application/json", **headers) + text.encode())
        await writer.drain()

    return act


def stream(*events: Any, then: Act | None = None, gate: asyncio.Event | None = None) -> Act:
    """Answer with events, one write each; before the last, wait for the gate. `then` instead of an end."""

    async def act(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number, event in enumerate(events):
            if gate is not None and number == len(events) - 1:
                await gate.wait()
            data = (event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n").encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        if then is not None:
            await then(seen, writer)
        else:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    return act


async def hang(seen: Seen, writer: asyncio.StreamWriter) -> None:
    """Say nothing more."""
    await asyncio.sleep(600)


async def tear(seen: Seen, writer: asyncio.StreamWriter) -> None:
    """Break the connection."""
    writer.transport.abort()


def text(word: str) -> dict[str, Any]:
    """A chunk of a chat stream."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}


def used(prompt: int, completion: int, cached: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """Usage as chat completions have it."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def chat(prompt: int = 1000, completion: int = 50, **more: int) -> dict[str, Any]:
    """A whole chat completion."""
    message = {"role": "assistant", "content": "hello"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"object": "chat.completion", "choices": [choice], "usage": used(prompt, completion, **more)}
