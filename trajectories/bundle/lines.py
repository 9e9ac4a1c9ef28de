"""A bundle's lines as deliveries: each sound, or rejected with its number and the reason."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

import orjson

from trajectories.bundle.layout import DAMAGED
from trajectories.events import millis
from trajectories.ingest.incoming import Incoming, fault
from trajectories.ingest.jsontext import Unreadable, is_plain, read
from trajectories.ingest.slices import members

LINE_BYTES = 32 << 20
_BODY = b',"body":'


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that says nothing we can store."""

    source: str
    line: int
    reason: str


class Line(NamedTuple):
    """Where a line is: its number from 1, and the byte after it."""

    number: int
    end: int


def lines(
    source: str, file: IO[bytes], after: int = 0, hands: int = 1, hand: int = 0
) -> Iterator[tuple[Line, Incoming | Rejected]]:
    """One after the other, those after number `after`; a line too long or broken costs itself only, damage to the file what comes after it.

    Of several `hands` each takes every so-manieth line.
    """
    end = number = 0
    try:
        for number, (text, more) in enumerate(_texts(file), 1):
            end += len(text) + more
            if number <= after or number % hands != hand:
                continue
            if more:
                yield Line(number, end), Rejected(source, number, f"longer than {LINE_BYTES >> 20} MiB")
            elif text.strip():
                yield Line(number, end), _line(source, number, text.strip())
    except DAMAGED as problem:
        number += 1
        if number > after and number % hands == hand:
            words = f"the file is damaged from here on and not read further: {problem}"
            yield Line(number, end), Rejected(source, number, words[:200])


def texts(file: IO[bytes]) -> Iterator[bytes]:
    """The same lines unread; of one too long its beginning."""
    with suppress(*DAMAGED):
        for text, _ in _texts(file):
            yield text


def _texts(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """(a line, how many bytes of it were left out since it is too long)."""
    while text := file.readline(LINE_BYTES + 1):
        more = 0
        if len(text) > LINE_BYTES and not text.endswith(b"\n"):
            while rest := file.readline(LINE_BYTES):
                more += len(rest)
                if rest.endswith(b"\n"):
                    break
        yield text, more


def _line(source: str, number: int, text: bytes) -> Incoming | Rejected:
    try:
        delivery = _delivery(text)
    except (ValueError, KeyError, TypeError, OverflowError) as problem:
        named = f"{problem.args[0]} is missing" if isinstance(problem, KeyError) else str(problem)
        return Rejected(source, number, named[:200])
    reason = fault(delivery)
    return Rejected(source, number, reason) if reason else delivery


def _delivery(text: bytes) -> Incoming:
    """The envelope is read, the body stays the text it is: what cannot be read of it is parse's to say."""
    envelope, body, value = _body_last(text) or _anywhere(text)
    headers = {} if envelope.get("headers") is None else envelope["headers"]
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise Unreadable("headers must be an object of strings")
    at, received_at = (millis(_string(envelope[name], name)) for name in ("at", "received_at"))
    skew: Any = envelope.get("skew_ms", 0)
    return Incoming(envelope["id"], envelope["seq"], at, received_at, body, headers, skew, value)


def _body_last(text: bytes) -> tuple[dict[str, Any], bytes, Any] | None:
    """(envelope, body, its value) of a line as we write them, cut once instead of token by token; None for any other.

    What stands before the body is an object by itself, and what follows up to the last brace is one value: so nothing else can be meant.
    """
    cut = text.find(_BODY)
    if cut < 0 or not text.endswith(b"}"):
        return None
    body = text[cut + len(_BODY) : -1].strip()
    cheap = orjson.loads if is_plain(text) else read
    try:
        envelope, value = cheap(text[:cut] + b"}"), cheap(body)
    except ValueError:
        return None
    if not isinstance(envelope, dict) or not envelope.keys().isdisjoint(("body", "body_base64")):
        return None
    return envelope, body, value


def _anywhere(text: bytes) -> tuple[dict[str, Any], bytes, Any]:
    parts = members(text)
    envelope = {name: read(value) for name, value in parts.items() if name not in {"body", "body_base64"}}
    if "body_base64" in parts:
        return envelope, base64.b64decode(_string(read(parts["body_base64"]), "body_base64"), validate=True), None
    return envelope, parts["body"], read(parts["body"])


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"{name} must be a string")
    return value
