"""What never changes is answered from memory: bytes whose address names their content, for who was let in a moment ago.

An answer marked `immutable` (columns and tiles of a timeline, `trajectories/api/files.py`) is kept as it was sent. Who has just been answered at
the same path by Django, with the same cookies, gets the next of them without a thread, a session or a query: a page asks for some dozens of them in
a second. Everybody else, and whoever shows a token, asks Django, which decides afresh.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

HELD = 24 * 1024 * 1024  # bytes of answers a web process keeps; a run of 1,024 workers over six hours has 11 MB
LET_IN_S = 10.0  # so long after Django's answer: sign-out and a lost role hold from then on
PEOPLE = 10_000
MARK = b"etag="

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Answer:
    """As Django gave it."""

    headers: Headers
    body: bytes

    @property
    def etag(self) -> bytes:
        """Its strong ETag, with quotes."""
        return next((value for name, value in self.headers if name.lower() == b"etag"), b"")


class Warm:
    """An ASGI application in front of another."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.kept: OrderedDict[str, Answer] = OrderedDict()
        self.bytes = 0
        self.let_in: OrderedDict[tuple[str, bytes], float] = OrderedDict()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer from memory, or ask and listen."""
        headers = dict(scope["headers"])
        person = headers.get(b"cookie", b"")
        if (
            scope["method"] != "GET"
            or not scope["path"].endswith("/timeline")
            or not person
            or b"authorization" in headers
        ):
            await self.app(scope, receive, send)
            return
        place = (
            f"{headers.get(b'host', b'').decode('latin-1')}{scope['path']}?{scope['query_string'].decode('latin-1')}"
        )
        known = self.kept.get(place) if self.let_in.get((scope["path"], person), 0.0) > time.monotonic() else None
        if known is None:
            await self.app(scope, receive, self._listening(send, scope["path"], person, place))
            return
        self.kept.move_to_end(place)
        if known.etag in headers.get(b"if-none-match", b""):
            kept = [
                each
                for each in known.headers
                if each[0].lower() not in {b"content-length", b"content-encoding", b"content-type"}
            ]
            await send({"type": "http.response.start", "status": 304, "headers": kept})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": 200, "headers": known.headers})
        await send({"type": "http.response.body", "body": known.body})

    def _listening(self, send: Any, path: str, person: bytes, place: str) -> Any:
        """`send`, which also remembers who was let in and what never changes."""
        began: dict[str, Any] = {}
        parts: list[bytes] = []

        async def heard(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                began.update(message)
                if message["status"] in {200, 304}:
                    self._let_in(path, person)
            elif began.get("status") == 200 and MARK in place.encode() and _never_changes(began["headers"]):
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    self._keep(place, Answer(list(began["headers"]), b"".join(parts)))
            await send(message)

        return heard

    def _let_in(self, path: str, person: bytes) -> None:
        self.let_in[path, person] = time.monotonic() + LET_IN_S
        self.let_in.move_to_end((path, person))
        while len(self.let_in) > PEOPLE:
            self.let_in.popitem(last=False)

    def _keep(self, place: str, answer: Answer) -> None:
        if len(answer.body) > HELD // 4 or place in self.kept:
            return
        self.kept[place] = answer
        self.bytes += len(answer.body)
        while self.bytes > HELD:
            self.bytes -= len(self.kept.popitem(last=False)[1].body)


def _never_changes(headers: Headers) -> bool:
    told = {name.lower(): value for name, value in headers}
    return b"immutable" in told.get(b"cache-control", b"") and b"set-cookie" not in told
