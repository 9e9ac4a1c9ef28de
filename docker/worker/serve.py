"""The MCP server `team`: the tools over HTTP on a loopback port of this process, under a path nobody else knows."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import mcp.types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from worker.tools import Tools


class _Quiet(uvicorn.Server):
    """uvicorn inside our loop: signals are the loop's business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def build(tools: Tools) -> Server[Any, Any]:
    """The MCP server around the tools."""
    server: Server[Any, Any] = Server("team")

    @server.list_tools()
    async def listed() -> list[types.Tool]:
        return [
            types.Tool(name=name, description=said, inputSchema=schema) for name, (said, schema) in tools.specs.items()
        ]

    @server.call_tool(validate_input=False)
    async def called(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        texts, failed = await tools.call(name, dict(arguments or {}))
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=text) for text in texts]
        return types.CallToolResult(content=content, isError=failed)

    return server


@contextlib.asynccontextmanager
async def serving(tools: Tools) -> AsyncIterator[str]:
    """Serve while the block runs; gives the server's address."""
    path = f"/mcp/{secrets.token_urlsafe(16)}"
    manager = StreamableHTTPSessionManager(build(tools), json_response=True, stateless=True)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and secrets.compare_digest(scope["path"].encode(), path.encode()):
            await manager.handle_request(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
    )
    server = _Quiet(config)
    async with manager.run():
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started and not task.done():
                await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}{path}"
        finally:
            server.should_exit = True
            await task
            listener.close()
