"""What a web process keeps to answer again: bytes whose address names their content, for who was let in a moment ago.

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
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

HELD = 24 * 1024 * 1024  # bytes of answers a web process keeps; a run of 1,024 workers over six hours has 11 MB
LET_IN_S = 10.0  # so long after Django's answer: sign-out and a lost role hold from then on
PEOPLE = 10_000
PIECE = "etag="

_REPLAY = re.compile(r"/runs/([^/]+)/replay")
_OF_BYTES = {b"content-length", b"content-encoding", b"content-type"}
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Answer:
    """As Django gave it."""

    headers: Headers
    body: bytes
    until: float = math.inf  # of a manifest: a run may be derived again

    @cached_property
    def etag(self) -> bytes:
        """Its strong ETag, with quotes."""
        return next((value for name, value in self.headers if name.lower() == b"etag"), b"")

    def held_by(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whoever sends these headers has it."""
        return self.etag in headers.get(b"if-none-match", b"")

    @cached_property
    def unchanged(self) -> Headers:
        """Those of a 304."""
        return [each for each in self.headers if each[0].lower() not in _OF_BYTES]

    @cached_property
    def lines(self) -> tuple[bytes, bytes]:
        """The headers of a 200 and of a 304 as HTTP/1.1 writes them, without what the server says of itself."""
        sized = [each for each in self.headers if each[0].lower() != b"content-length"]
        return _lines([*sized, (b"content-length", b"%d" % len(self.body))]), _lines(self.unchanged)


def _lines(headers: Headers) -> bytes:
    return b"".join(b"%s: %s\r\n" % each for each in headers) + b"\r\n"


class Shelf:
    """Answers, and who was let in to which path until when."""

    def __init__(self) -> None:
        self.kept: OrderedDict[str, Answer] = OrderedDict()
        self.bytes = 0
        self.let_in: OrderedDict[tuple[str, bytes], float] = OrderedDict()

    def find(self, path: str, query: bytes, headers: Mapping[bytes, bytes]) -> Answer | None:
        """What a GET of this address by whoever sends these headers (names in lower case) is answered; None if Django is to be asked."""
        whose = timeline_of(path)
        person = headers.get(b"cookie", b"")
        if not whose or not person or b"authorization" in headers:
            return None
        now = time.monotonic()
        if self.let_in.get((whose, person), 0.0) <= now:
            return None
        place = place_of(path, query, headers)
        found = self.kept.get(place)
        if found is None:
            return None
        if found.until <= now:
            self.forget(place)
            return None
        self.kept.move_to_end(place)
        return found

    def welcome(self, path: str, person: bytes) -> None:
        """Django let this person in to the pieces at this path."""
        self.let_in[path, person] = time.monotonic() + LET_IN_S
        self.let_in.move_to_end((path, person))
        while len(self.let_in) > PEOPLE:
            self.let_in.popitem(last=False)

    def keep(self, place: str, answer: Answer) -> None:
        """Put it there; what was not asked for longest makes room."""
        if len(answer.body) > HELD // 4 or place in self.kept:
            return
        self.kept[place] = answer
        self.bytes += len(answer.body)
        while self.bytes > HELD:
            self.bytes -= len(self.kept.popitem(last=False)[1].body)

    def forget(self, place: str) -> None:
        """Take it away, if it is there."""
        gone = self.kept.pop(place, None)
        self.bytes -= len(gone.body) if gone else 0


#: The one of this process: Django's answers come onto it (`warm.py`), uvicorn's protocol takes them from it (`shelf_http.py`).
SHELF = Shelf()


def once(headers: Headers) -> dict[bytes, bytes]:
    """A request's headers by name, if each stands there once; else nothing: a proxy may split cookies, and who asks is never told by half of them."""
    named = dict(headers)
    return named if len(named) == len(headers) else {}


def place_of(path: str, query: bytes, headers: Mapping[bytes, bytes]) -> str:
    """The name of an answer."""
    return f"{headers.get(b'host', b'').decode('latin-1')}{path}?{query.decode('latin-1')}"


def timeline_of(path: str) -> str:
    """Whose pieces an answer at this path lets in to: the timeline's own, and the page that shows them; else ''."""
    if path.endswith("/timeline"):
        return path
    shown = _REPLAY.fullmatch(path)
    return f"/api/v1/runs/{shown[1]}/timeline" if shown else ""


def kept_until(place: str, headers: Headers) -> float:
    """How long an answer may be kept, by `time.monotonic`; 0 = not at all."""
    told = {name.lower(): value for name, value in headers}
    if b"set-cookie" in told or b"etag" not in told:
        return 0.0
    if PIECE in place:
        return math.inf if b"immutable" in told.get(b"cache-control", b"") else 0.0
    return time.monotonic() + LET_IN_S if place.endswith("/timeline?") else 0.0
