"""The board's HTTP face (Starlette). Bodies are read by hand: an agent may send anything, and gets a sentence back."""

from __future__ import annotations

import json
import time
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from board.search import BadQuery
from board.service import Refused, Service
from serving.tokens import INGEST, Tokens

BODY_CAP = 1 << 20
PAGE = 1_000
VIAS = ("read", "turn", "recap")
FRESH_S, KEPT = 0.5, 64


def build(service: Service, tokens: Tokens) -> Starlette:
    """The application around a service."""
    pages = Pages(service)

    def caller(request: Request, ingest: bool = False) -> str:
        name = tokens.caller(request.headers.get("authorization", ""))
        if name is None:
            raise Problem(401, "unknown token")
        if (name == INGEST) != ingest:
            raise Problem(403, "this token is for the ingest" if name == INGEST else "the ingest token is needed")
        return name

    async def durable(value: Any, status: int = 200) -> Response:
        """An answer that leaves once all it was made of is on disk."""
        await service.settled()
        return answer(value, status)

    async def health(_: Request) -> Response:
        return answer({"ok": True})

    async def write(request: Request) -> Response:
        worker = caller(request)
        try:
            return await durable(service.write(worker, await body(request)), 201)
        except Refused as refusal:
            return await durable({"reason": str(refusal)}, 422)

    async def read(request: Request) -> Response:
        worker = caller(request)
        after = number(request, "after", 0)
        via = request.query_params.get("via", "read")
        if via not in (*VIAS, "peek"):
            raise Problem(422, f"via must be one of {', '.join(VIAS)} or peek")
        if wait := min(number(request, "wait", 0), 60):
            await service.wait(after, wait)
        if via != "peek":
            return await durable(service.read(worker, after, via))
        page = pages.page(worker, after)
        await service.settled()
        return Response(page, media_type="application/json")

    async def seen(request: Request) -> Response:
        worker, said = caller(request), await body(request)
        if said.get("via") not in VIAS or type(said.get("upto")) is not int:
            raise Problem(422, f"via must be one of {', '.join(VIAS)}, upto a note id")
        service.seen(worker, said["upto"], said["via"])
        return await durable({"ok": True})

    async def grep(request: Request) -> Response:
        worker = caller(request)
        try:
            return await durable(service.grep(worker, request.query_params.get("q", "")))
        except BadQuery as error:
            raise Problem(422, str(error)) from None

    async def unfold(request: Request) -> Response:
        worker, note = caller(request), request.path_params["note"]
        found = service.unfold(worker, int(note)) if note.isdecimal() and len(note) < 16 else None
        if found is None:
            raise Problem(404, f"no note {note[:40]}")
        return await durable(found)

    async def events(request: Request) -> Response:
        caller(request, ingest=True)
        limit = max(1, min(number(request, "limit", PAGE), PAGE * 5))
        return answer(await service.events(number(request, "after", 0), limit))

    routes = [
        Route("/notes", read, methods=["GET"]),
        Route("/notes", write, methods=["POST"]),
        Route("/notes/{note}", unfold, methods=["GET"]),
        Route("/reads", seen, methods=["POST"]),
        Route("/grep", grep, methods=["GET"]),
        Route("/events", events, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={Problem: problem})


class Pages:
    """What waiting readers are answered: they wait at the same place and wake together, so a page is written once for all of them."""

    def __init__(self, service: Service) -> None:
        self._service, self._made_at = service, (0, 0.0)
        self._pages: dict[int, bytes] = {}

    def page(self, worker: str, after: int) -> bytes:
        """The answer to a peek above `after`; a claim that ran out may stay on it for half a second."""
        now = time.monotonic()
        if self._made_at[0] != self._service.board.last or now - self._made_at[1] > FRESH_S or len(self._pages) > KEPT:
            self._pages, self._made_at = {}, (self._service.board.last, now)
        if after not in self._pages:
            self._pages[after] = encoded(self._service.read(worker, after, None))
        return self._pages[after]


async def problem(_: Request, error: Exception) -> Response:
    """The answer to a call that cannot be served."""
    assert isinstance(error, Problem)
    return answer({"reason": error.reason}, error.status)


class Problem(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def answer(value: Any, status: int = 200) -> Response:
    """A JSON answer."""
    return Response(encoded(value), status, media_type="application/json")


def encoded(value: Any) -> bytes:
    """JSON in pure ASCII, so that a lone surrogate a worker wrote cannot break the answer to another."""
    return json.dumps(value, separators=(",", ":")).encode()


def number(request: Request, name: str, default: int) -> int:
    """A non-negative integer of the query. Raises Problem 422."""
    text = request.query_params.get(name, "")
    if text == "":
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise Problem(422, f"{name} must be a number")
    return int(text)


async def body(request: Request) -> dict[str, Any]:
    """The JSON object a caller sent. Raises Problem for too much, for no JSON and for another JSON value."""
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > BODY_CAP:
            raise Problem(413, f"a body may have {BODY_CAP} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise Problem(400, "the body is not JSON") from None
    if not isinstance(value, dict):
        raise Problem(400, "the body is not a JSON object")
    return value
