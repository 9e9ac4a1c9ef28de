"""What does not change is answered from memory: bytes whose address names their content, for who was let in a moment ago.

An answer marked `immutable` (columns and tiles of a timeline, `trajectories/api/files.py`) is kept as it was sent, and a manifest with an ETag, which a run
that has settled gives, for as long as a person is let in. Who has just been answered by Django at the same path, or was shown the replay of that run, with
the same cookies, gets the next of them without a thread, a session or a query: a page asks for some dozens of them in a second. Everybody else, and whoever
shows a token, asks Django, which decides afresh. A piece that Django no longer knows makes the manifest forgotten as well.
"""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

HELD = 24 * 1024 * 1024  # bytes of answers a web process keeps; a run of 1,024 workers over six hours has 11 MB
LET_IN_S = 10.0  # so long after Django's answer: sign-out and a lost role hold from then on
PEOPLE = 10_000
PIECE = "etag="

_REPLAY = re.compile(r"/runs/([^/]+)/replay")
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Answer:
    """As Django gave it."""

    headers: Headers
    body: bytes
    until: float = math.inf  # of a manifest: a run may be derived again

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
        path = _timeline_of(scope["path"])
        if scope["method"] != "GET" or not path or not person or b"authorization" in headers:
            await self.app(scope, receive, send)
            return
        place = (
            f"{headers.get(b'host', b'').decode('latin-1')}{scope['path']}?{scope['query_string'].decode('latin-1')}"
        )
        known = self._known(place) if self.let_in.get((path, person), 0.0) > time.monotonic() else None
        if known is None:
            await self.app(scope, receive, self._listening(send, path, person, place))
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
                elif PIECE in place:
                    self._forget(f"{place.partition('?')[0]}?")
            elif began.get("status") == 200 and (until := _until(place, began["headers"])):
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    self._keep(place, Answer(list(began["headers"]), b"".join(parts), until))
            await send(message)

        return heard

    def _known(self, place: str) -> Answer | None:
        found = self.kept.get(place)
        if found is None or found.until > time.monotonic():
            return found
        self._forget(place)
        return None

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

    def _forget(self, place: str) -> None:
        gone = self.kept.pop(place, None)
        self.bytes -= len(gone.body) if gone else 0


def _timeline_of(path: str) -> str:
    """Whose pieces an answer at this path lets in to: the timeline's own, and the page that shows them; else ''."""
    shown = _REPLAY.fullmatch(path)
    return f"/api/v1/runs/{shown[1]}/timeline" if shown else path if path.endswith("/timeline") else ""


def _until(place: str, headers: Headers) -> float:
    """How long an answer may be kept, by `time.monotonic`; 0 = not at all."""
    told = {name.lower(): value for name, value in headers}
    if b"set-cookie" in told or b"etag" not in told:
        return 0.0
    if PIECE in place:
        return math.inf if b"immutable" in told.get(b"cache-control", b"") else 0.0
    return time.monotonic() + LET_IN_S if place.endswith("/timeline?") else 0.0
