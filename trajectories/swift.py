"""The door that a team uses most, in front of Django: `POST /ingest/{run}/acp` on threads that keep their connection to the database.

Django gives each request a thread and a connection of its own and passes it through a dozen layers made for pages; a worker that ships
every half second needs none of them. `receivers.acp` is the same door by Django, where no ASGI server is.
"""

from __future__ import annotations

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from django.db import DatabaseError, InterfaceError, connection

from trajectories.ingest.acpdoor import BATCH_BYTES, HEADERS, Reply, TooBig, refused, take
from trajectories.ingest.garbage import seldom_collected

logger = logging.getLogger(__name__)
AT_ONCE = 32  # batches in work in this process; more are asked to come again
READING = 256  # bodies on their way: who sends slowly, or only says so, keeps nobody else out
READ_S = 30.0  # for a body to arrive
BUSY = refused(429, "Too many batches at once; send this one again.")
_DOOR = re.compile(r"/ingest/([^/]+)/acp")


class Swift:
    """An ASGI application in front of another."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.working = self.reading = 0
        self.threads: ThreadPoolExecutor | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Take a batch, or ask the other."""
        door = _DOOR.fullmatch(scope["path"]) if scope["method"] == "POST" else None
        if door is None:
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        reply = await self._reply(door[1], headers, receive)
        if reply is not None:
            await _answer(reply, send)

    async def _reply(self, run: str, headers: dict[bytes, str], receive: Any) -> Reply | None:
        """None if whoever asked has gone."""
        if self.working >= AT_ONCE or self.reading >= READING:
            return BUSY
        self.reading += 1
        try:
            async with asyncio.timeout(READ_S):
                body = await _read(headers, receive)
        except TooBig:
            return refused(413, f"A batch may hold {BATCH_BYTES >> 20} MiB; send fewer items.")
        except TimeoutError:
            return refused(408, f"The batch did not arrive within {READ_S:.0f} s; send it again.")
        finally:
            self.reading -= 1
        if body is None:
            return None
        if self.working >= AT_ONCE:
            return BUSY
        self.working += 1
        try:
            who, encoding, harness = (headers.get(name.lower().encode(), "") for name in HEADERS)
            with seldom_collected():
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._pool(), _take, run, who, encoding, harness, body)
        finally:
            self.working -= 1

    def _pool(self) -> ThreadPoolExecutor:
        if self.threads is None:
            # SQLite has one writer: a second thread would only wait for it, by sleeping.
            self.threads = ThreadPoolExecutor(4 if connection.vendor == "postgresql" else 1, "door")
        return self.threads


def _take(run: str, authorization: str, encoding: str, harness: str, body: bytes) -> Reply:
    try:
        return take(run, authorization, encoding, harness, body)
    except (DatabaseError, InterfaceError):
        logger.exception("a batch of run %s was not stored", run)
        connection.close()  # the next begins with a fresh one
        return refused(503, "The database did not take it; send it again.")
    except Exception:
        logger.exception("a batch of run %s was not stored", run)
        return refused(500, "This should not have happened; the app's log says more.")


async def _read(headers: dict[bytes, str], receive: Any) -> bytes | None:
    """The body; None if the sender is gone before its end. Raises TooBig as soon as it is announced or has come."""
    length = headers.get(b"content-length", "")
    if length.isdigit() and int(length) > BATCH_BYTES:
        raise TooBig
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > BATCH_BYTES:
            raise TooBig
    return b"".join(parts) if len(parts) > 1 else parts[0]


async def _answer(reply: Reply, send: Any) -> None:
    body = orjson.dumps(reply.body)
    kind = b"application/json" if reply.status < 400 else b"application/problem+json"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    if reply.status in (429, 503):
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
