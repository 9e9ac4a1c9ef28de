"""The gateway's HTTP face: a bare ASGI application, so that nothing stands between the model's bytes and the worker's socket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from gateway.answers import Answer, ok, problem
from gateway.asked import BadRequest, read
from gateway.door import Door
from gateway.relay import Broken
from gateway.service import Service, new_id
from gateway.usage import CHAT, MESSAGES, RESPONSES
from serving.tokens import INGEST

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
SendEvent = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BODY_CAP = 64 << 20
PAGE, LONGEST_PAGE = 1_000, 5_000
APIS = {
    "/v1/chat/completions": CHAT,
    "/v1/responses": RESPONSES,
    "/v1/messages": MESSAGES,
    "/v1/messages/count_tokens": "count",
}


class _Gone(Exception):
    """The worker went away."""


class App:
    """Routes, tokens, bodies. A request is carried in a task of its own, so that a worker that goes away ends it at once."""

    def __init__(self, service: Service, door: Door | None = None) -> None:
        self.service, self.door = service, door
        # A stream that broke upstream is broken off here too, on purpose; uvicorn would report each as a fault of the app.
        logging.getLogger("uvicorn.error").addFilter(
            lambda record: "without completing response" not in record.getMessage()
        )

    async def __call__(self, scope: Scope, receive: Receive, send: SendEvent) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            answer = await self._route(scope, headers, receive, send)
        except _Gone:
            return
        if answer is not None:
            await _start(send, answer.status, answer.headers, len(answer.body))
            await send({"type": "http.response.body", "body": answer.body})

    async def _route(
        self, scope: Scope, headers: Mapping[str, str], receive: Receive, send: SendEvent
    ) -> Answer | None:
        path, method = scope["path"], scope["method"]
        if path == "/health":
            return ok({"ok": True})
        if path.startswith("/ingest/") and self.door:
            batch = await _body(receive)
            if batch is None:
                return problem(413, f"a request may have {BODY_CAP} bytes")
            return await self.door.carry(method, path, headers, batch)
        caller = self._caller(headers)
        if caller is None:
            return problem(401, "unknown token")
        if path in ("/ledger", "/status"):
            if caller != INGEST:
                return problem(403, "the ingest token is needed")
            return self.service.status() if path == "/status" else self._ledger(scope)
        if caller == INGEST:
            return problem(403, "this token is for the ingest")
        if path == "/v1/models" and method in ("GET", "HEAD"):
            return self.service.models()
        if path not in APIS:
            return problem(404, f"{path[:100]} is no route of the gateway; it has {', '.join(APIS)} and /v1/models")
        if method != "POST":
            return problem(405, "use POST")
        body = await _body(receive)
        if body is None:
            return problem(413, f"a request may have {BODY_CAP} bytes")
        return await self._model(int(caller), APIS[path], scope, headers, body, receive, send)

    async def _model(
        self,
        worker: int,
        api: str,
        scope: Scope,
        headers: Mapping[str, str],
        body: bytes,
        receive: Receive,
        send: SendEvent,
    ) -> Answer | None:
        settings, request, query = self.service.settings, new_id(), scope["query_string"].decode("latin-1")
        try:
            asked = read(api, body, settings.model, settings.other_models, headers.get("x-agensh-purpose", ""))
        except BadRequest as fault:
            return problem(400, str(fault))

        started = False

        async def start(status: int, told: Mapping[str, str]) -> None:
            nonlocal started
            started = True
            await _start(send, status, {**told, "x-agensh-request": request})

        async def more(piece: bytes) -> None:
            await send({"type": "http.response.body", "body": piece, "more_body": True})

        carry = self.service.count if api == "count" else self.service.carry
        work = asyncio.ensure_future(carry(worker, asked, query, headers, request, start, more))
        watch = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
            await work
            await send({"type": "http.response.body", "body": b""})
        except (Broken, asyncio.CancelledError):
            # A response that stays incomplete is broken off; one that has not begun can still say why.
            return None if started else problem(503, "the gateway is stopping; ask again")
        finally:
            work.cancel()
            watch.cancel()
        return None

    def _caller(self, headers: Mapping[str, str]) -> str | None:
        said = headers.get("authorization", "") or f"Bearer {headers.get('x-api-key', '')}"
        name = self.service.tokens.caller(said)
        return name if name == INGEST or (name or "").isdecimal() else None

    def _ledger(self, scope: Scope) -> Answer:
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        try:
            after, limit = (
                int(asked.get(name, [default])[0]) for name, default in (("after", "0"), ("limit", str(PAGE)))
            )
        except ValueError:
            return problem(400, "after and limit must be numbers")
        return self.service.page(max(0, after), max(1, min(limit, LONGEST_PAGE)))


async def _start(send: SendEvent, status: int, headers: Mapping[str, str], size: int | None = None) -> None:
    told = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if size is not None:
        told["content-length"] = str(size)
    pairs = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _body(receive: Receive) -> bytes | None:
    """All of it; None if it is too much. Raises _Gone."""
    pieces, size = [], 0
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise _Gone
        pieces.append(event.get("body", b""))
        size += len(pieces[-1])
        if size > BODY_CAP:
            return None
        if not event.get("more_body"):
            return b"".join(pieces)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
