"""uvicorn's WebSocket protocol, opened for frames that were made once: the same bytes go to every socket of a run.

ASGI's `send` costs a socket a task, an event, three wrappers and a framing of its own for each message. Here the scope has an
extension (`trajectories.live.subscription.EXTENSION`) that writes a finished frame; everything else is uvicorn's.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from trajectories.live.subscription import EXTENSION

HELD = 512 * 1024  # bytes a connection may have unsent; more than that and it is behind
KERNEL = 256 * 1024  # and so many in the kernel, which would grow this to megabytes by itself


class FrameSockets(WebSocketsSansIOProtocol):
    """A connection that is its own wire."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.drained: Callable[[], None] = _nobody

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=HELD)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL)

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:  # the application begins in the loop's next turn
            self.scope["extensions"][EXTENSION] = self  # type: ignore[index]

    def resume_writing(self) -> None:
        super().resume_writing()
        self.drained()

    def keepalive_timeout(self) -> None:
        """Who does not read does not answer pings either; what it has not read must not keep its connection open."""
        super().keepalive_timeout()
        self.transport.abort()

    def write(self, frame: bytes) -> bool:
        """A `Wire`'s: whole or not at all, never waiting."""
        if self.close_sent or not self.handshake_complete or not self.writable.is_set() or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True


def _nobody() -> None:
    """Nobody writes to this connection yet."""
