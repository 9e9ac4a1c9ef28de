"""Tokens of one answer, read from what passes through: three APIs, whole or streamed, one way of counting. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

CHAT, RESPONSES, MESSAGES = "chat", "responses", "messages"


@dataclass(slots=True)
class Usage:
    """Tokens of one request. Input includes cached and written, output includes reasoning; None = never said."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Holder(msgspec.Struct):
    """A `message` or `response` inside an event: only its usage is decoded."""

    usage: Any = None


class _Event(msgspec.Struct):
    """An event of a stream, or a whole answer. Everything else in it is passed over undecoded."""

    usage: Any = None
    message: Any = None
    response: _Holder | None = None
    error: Any = None


_EVENT = msgspec.json.Decoder(_Event)


class Meter:
    """Reads usage from an answer as it passes. `feed` takes bytes as they come, in pieces of any size."""

    def __init__(self, api: str, streamed: bool) -> None:
        self.api, self.streamed = api, streamed
        self.usage = Usage()
        self.failed = ""  # an error the model told inside a stream
        self._rest = b""
        self._whole: list[bytes] = []

    def feed(self, piece: bytes) -> None:
        """Read on."""
        if not self.streamed:
            self._whole.append(piece)
            return
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(line)

    def finish(self) -> Usage:
        """The usage, once everything has passed."""
        if self.streamed:
            self._line(self._rest)
        else:
            self._take(b"".join(self._whole))
            self._whole.clear()
        return self.usage

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:") and (b'"usage"' in line or b'"error"' in line):
            self._take(line[5:].strip())

    def _take(self, data: bytes) -> None:
        try:
            event = _EVENT.decode(data)
        except (msgspec.DecodeError, RecursionError):
            return
        if event.error and not self.failed:
            self.failed = str(event.error)[:300]
        held = event.response.usage if event.response else None
        message = event.message if isinstance(event.message, dict) else {}
        for found in (event.usage, held, message.get("usage")):
            if isinstance(found, dict):
                self._add(found)

    def _add(self, told: dict[str, Any]) -> None:
        usage = self.usage
        if self.api == MESSAGES:
            # message_start holds the input, message_delta the final output and, from some servers, the input again.
            parts = [
                _whole(told.get(name))
                for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            ]
            if any(part for part in parts):
                usage.input_tokens = sum(part or 0 for part in parts)
                usage.cached_tokens, usage.written_tokens = parts[1] or 0, parts[2] or 0
            elif usage.input_tokens is None and parts[0] is not None:
                usage.input_tokens, usage.cached_tokens, usage.written_tokens = 0, 0, 0
            usage.output_tokens = _known(told.get("output_tokens"), usage.output_tokens)
            return
        read, wrote = ("prompt", "completion") if self.api == CHAT else ("input", "output")
        usage.input_tokens = _known(told.get(f"{read}_tokens"), usage.input_tokens)
        usage.output_tokens = _known(told.get(f"{wrote}_tokens"), usage.output_tokens)
        details, more = told.get(f"{read}_tokens_details"), told.get(f"{wrote}_tokens_details")
        if isinstance(details, dict):
            usage.cached_tokens = _known(details.get("cached_tokens"), usage.cached_tokens)
            usage.written_tokens = _known(details.get("cache_write_tokens"), usage.written_tokens)
        if isinstance(more, dict):
            usage.reasoning_tokens = _known(more.get("reasoning_tokens"), usage.reasoning_tokens)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _known(value: Any, before: int | None) -> int | None:
    found = _whole(value)
    return before if found is None else found
