"""From HTTP to a plain function: one handler per (method, official route), run in a thread, answers recorded.

A stand-in lists its calls as data (`calls.json`); a handler without a listed call, or a listed call without a
handler, stops the start. Handlers get a `Call` and return an `Answer`; they refuse with `Refused`.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from standins.calls import Calls

LOG = logging.getLogger("standins")
_BIGGEST_BODY = 32 * 1024 * 1024
_CONVERTERS = {"index": "int", "id": "int", "branch": "path", "ref": "path"}


class Refused(Exception):
    """An answer other than success: status, message and, for Mattermost, an error id."""

    def __init__(self, status: int, message: str, error: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.error = status, message, error


@dataclass(slots=True)
class Call:
    """One request, decoded."""

    method: str
    path: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    user: Any = None

    def text(self, name: str, default: str = "") -> str:
        """A string of the body."""
        value = self.body.get(name, default) if isinstance(self.body, dict) else default
        if value is None:
            return default
        if not isinstance(value, str):
            raise Refused(422, f"{name} must be a string")
        return value

    def number(self, name: str, default: int) -> int:
        """A whole number of the query, `default` where it is absent or no number."""
        try:
            return int(self.query.get(name, default))
        except ValueError:
            return default


@dataclass(slots=True)
class Answer:
    """What goes back: JSON unless `content` is given."""

    data: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None
    media_type: str = "application/json"


Handler = Callable[[Any, Call], Answer]


class Handlers:
    """The handlers of a stand-in by (method, official route)."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Handler] = {}

    def __call__(self, method: str, route: str) -> Callable[[Handler], Handler]:
        def keep(handler: Handler) -> Handler:
            self.found[(method, route)] = handler
            return handler

        return keep


def listed_calls(file: Path) -> list[dict[str, Any]]:
    """The calls a stand-in speaks, as data."""
    calls: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return calls


def routes(
    listed: list[dict[str, Any]],
    handlers: Handlers,
    service: Any,
    calls: Calls,
    *,
    prefix: str,
    sign_in: Callable[[Mapping[str, str]], Any],
    problem: Callable[[Refused], Any],
) -> list[Route]:
    """Starlette routes for every listed call. Raises RuntimeError if list and handlers differ."""
    wanted = {(each["method"], each["route"]) for each in listed}
    if wanted != set(handlers.found):
        raise RuntimeError(f"calls and handlers differ: {sorted(wanted ^ set(handlers.found))}")
    made = []
    for method, route in handlers.found:
        path = re.sub(
            r"\{(\w+)\}", lambda m: "{" + m[1] + (":" + _CONVERTERS[m[1]] if m[1] in _CONVERTERS else "") + "}", route
        )
        endpoint = _endpoint(handlers.found[(method, route)], service, calls, route, sign_in, problem)
        made.append(Route(prefix + path, endpoint, methods=[method]))
    return made


def _endpoint(
    handler: Handler,
    service: Any,
    calls: Calls,
    route: str,
    sign_in: Callable[[Mapping[str, str]], Any],
    problem: Callable[[Refused], Any],
) -> Callable[[Request], Any]:
    def work(call: Call) -> Answer:
        call.user = sign_in(call.headers)
        return handler(service, call)

    async def endpoint(request: Request) -> Response:
        try:
            call = Call(
                request.method,
                request.url.path,
                request.path_params,
                request.query_params,
                request.headers,
                await _body(request),
            )
            answer = await anyio.to_thread.run_sync(work, call)
        except Refused as refused:
            answer = Answer(problem(refused), refused.status)
            if refused.status == 401:
                answer.headers["WWW-Authenticate"] = 'Basic realm="Gitea"'
        except Exception:
            LOG.exception("%s %s failed", request.method, request.url.path)
            answer = Answer(problem(Refused(500, "internal error")), 500)
        calls.note(request.method, route, request.url.path, answer.status)
        if answer.content is not None:
            return Response(answer.content, answer.status, answer.headers, answer.media_type)
        if answer.status == 204 or (answer.data is None and answer.status != 200):
            return Response(b"", answer.status, answer.headers)
        body = b"" if answer.data is None else json.dumps(answer.data, separators=(",", ":")).encode("utf-8")
        return Response(body, answer.status, answer.headers, "application/json")

    return endpoint


async def _body(request: Request) -> Any:
    if request.method in ("GET", "HEAD"):
        return {}
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > _BIGGEST_BODY:
            raise Refused(413, "the body is too large")
    if not raw:
        return {}
    try:
        # A lone surrogate or NUL is a legal JSON string and no legal text for SQLite or git: seen as U+FFFD.
        return _clean(json.loads(raw))
    except (ValueError, RecursionError) as broken:
        raise Refused(422, f"the body is no JSON: {broken}") from None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "�").encode("utf-8", "replace").decode("utf-8") if not _plain(value) else value
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    return value


def _plain(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


async def unknown(request: Request, calls: Calls, problem: Callable[[Refused], Any]) -> Response:
    """The answer to a path that no listed call matches; it is recorded, so that a test can fail on it."""
    calls.note(request.method, None, request.url.path, 404)
    body = json.dumps(problem(Refused(404, f"no such call here: {request.method} {request.url.path}")))
    return Response(body, 404, media_type="application/json")
