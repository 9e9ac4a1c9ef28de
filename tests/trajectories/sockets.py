"""A browser's end of a socket, over ASGI itself. (Channels' own helper needs a server that we do not use.)"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from asgiref.testing import ApplicationCommunicator


class Talk(ApplicationCommunicator):
    """Opens `path`; `connect` answers whether it was accepted."""

    def __init__(self, application: Any, path: str, headers: list[tuple[bytes, bytes]]) -> None:
        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": headers, "subprotocols": []}
        super().__init__(application, scope)

    async def connect(self) -> bool:
        await self.send_input({"type": "websocket.connect"})
        return bool((await self.receive_output(5))["type"] == "websocket.accept")

    async def hear(self) -> str:
        message = await self.receive_output(5)
        assert message["type"] == "websocket.send", message
        return str(message["text"])

    async def leave(self) -> None:
        if not self.future.done():
            await self.send_input({"type": "websocket.disconnect", "code": 1000})
            with suppress(TimeoutError, asyncio.CancelledError):
                await self.wait(5)
