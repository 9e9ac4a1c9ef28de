"""The board's HTTP face (FastAPI). Bodies are read by hand: an agent may send anything, and gets a sentence back."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request, Response

from board.search import BadQuery
from board.service import Refused, Service
from serving.tokens import INGEST, Tokens

BODY_CAP = 1 << 20
PAGE = 1_000
VIAS = ("read", "turn", "recap")


def build(service: Service, tokens: Tokens) -> FastAPI:
    """The application around a service."""
    app = FastAPI(title="Board", openapi_url=None, docs_url=None, redoc_url=None)

    def caller(request: Request, ingest: bool = False) -> str:
        name = tokens.caller(request.headers.get("authorization", ""))
        if name is None:
            raise Problem(401, "unknown token")
        if (name == INGEST) != ingest:
            raise Problem(403, "this token is for the ingest" if name == INGEST else "the ingest token is needed")
        return name

    @app.exception_handler(Problem)
    async def problem(_: Request, error: Problem) -> Response:
        return answer({"reason": error.reason}, error.status)

    @app.get("/health")
    async def health() -> Response:
        return answer({"ok": True})

    @app.post("/notes")
    async def write(request: Request) -> Response:
        worker = caller(request)
        try:
            return answer(service.write(worker, await body(request)), 201)
        except Refused as refusal:
            return answer({"reason": str(refusal)}, 422)

    @app.get("/notes")
    async def read(request: Request) -> Response:
        worker = caller(request)
        after = number(request, "after", 0)
        via = request.query_params.get("via", "read")
        if via not in (*VIAS, "peek"):
            raise Problem(422, f"via must be one of {', '.join(VIAS)} or peek")
        if wait := min(number(request, "wait", 0), 60):
            await service.wait(after, wait)
        return answer(service.read(worker, after, None if via == "peek" else via))

    @app.post("/reads")
    async def seen(request: Request) -> Response:
        worker, said = caller(request), await body(request)
        if said.get("via") not in VIAS or type(said.get("upto")) is not int:
            raise Problem(422, f"via must be one of {', '.join(VIAS)}, upto a note id")
        service.seen(worker, said["upto"], said["via"])
        return answer({"ok": True})

    @app.get("/grep")
    async def grep(request: Request) -> Response:
        worker = caller(request)
        try:
            return answer(service.grep(worker, request.query_params.get("q", "")))
        except BadQuery as error:
            raise Problem(422, str(error)) from None

    @app.get("/notes/{note}")
    async def unfold(request: Request, note: str) -> Response:
        worker = caller(request)
        found = service.unfold(worker, int(note)) if note.isdecimal() and len(note) < 16 else None
        if found is None:
            raise Problem(404, f"no note {note[:40]}")
        return answer(found)

    @app.get("/events")
    async def events(request: Request) -> Response:
        caller(request, ingest=True)
        limit = max(1, min(number(request, "limit", PAGE), PAGE * 5))
        return answer(service.events(number(request, "after", 0), limit))

    return app


class Problem(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def answer(value: Any, status: int = 200) -> Response:
    """JSON in pure ASCII, so that a lone surrogate a worker wrote cannot break the answer to another."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


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
