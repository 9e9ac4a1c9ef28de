"""One socket's end of the hub. Whoever falls behind is told once where the log is, as soon as there is room again, and reads it over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

QUEUE = 32  # messages a socket without a wire may be behind


class Wire(Protocol):
    """A connection that takes finished WebSocket frames, such as `agensh_web.sockets` puts into the scope under `EXTENSION`."""

    drained: Callable[[], None]

    def write(self, frame: bytes) -> bool:
        """Send a frame whole, at once; False while what was sent before has not left yet, or the connection is closing."""


EXTENSION = "agensh.frames"


@dataclass(frozen=True, slots=True)
class Message:
    """What all sockets of a run are told: its text, the same as a frame made once, and the pointer for who has no room for it."""

    text: str
    pointer: str
    frame: bytes
    pointer_frame: bytes

    @classmethod
    def of(cls, text: str, pointer: str) -> Message:
        """Made once for all sockets."""
        return cls(text, pointer, framed(text), framed(pointer))


def framed(text: str) -> bytes:
    """A whole unmasked, uncompressed WebSocket text frame (RFC 6455, 5.2)."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        head = bytes((0x81, size))
    elif size < 65_536:
        head = bytes((0x81, 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x81, 127)) + size.to_bytes(8, "big")
    return head + payload


@dataclass(eq=False)
class Queued:
    """Over ASGI's own `send`, for servers that offer no wire: a bounded queue that one task per socket empties."""

    run_id: int
    queue: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    behind: str | None = None

    def give(self, message: Message) -> None:
        """Hand over a message, or remember the newest pointer."""
        if self.behind is not None or self.queue.full():
            self.behind = message.pointer
            return
        self.queue.put_nowait(message.text)

    async def next(self) -> str:
        """The next message to send."""
        if self.queue.empty() and self.behind is not None:
            pointer, self.behind = self.behind, None
            return pointer
        return await self.queue.get()


@dataclass(eq=False)
class Wired:
    """Straight onto the connection: no queue, no task and no framing of its own for a socket."""

    run_id: int
    wire: Wire
    behind: bytes | None = None

    def __post_init__(self) -> None:
        self.wire.drained = self._drained

    def give(self, message: Message) -> None:
        """Write a message, or remember the newest pointer."""
        if self.behind is not None or not self.wire.write(message.frame):
            self.behind = message.pointer_frame

    def _drained(self) -> None:
        if self.behind is not None and self.wire.write(self.behind):
            self.behind = None


Subscription = Queued | Wired
