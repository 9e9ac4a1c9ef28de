"""A small MCP client over streamable HTTP: list the tools, call one. The official SDK would double this process's memory."""

from __future__ import annotations

import json
from typing import Any

import httpx

VERSION = "2025-06-18"


class McpError(Exception):
    """The server does not answer as it should."""


class Server:
    """One server of `session/new`."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._url = url
        secure = url.startswith("https:")
        accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": VERSION}
        timeout = httpx.Timeout(120, connect=10)
        self._client = httpx.AsyncClient(
            headers={**headers, **accept}, timeout=timeout, trust_env=secure, verify=secure
        )
        self._ids = 0
        self.tools: list[dict[str, Any]] = []

    async def open(self) -> None:
        """Shake hands and learn the tools, as chat completions want them. Raises McpError."""
        hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "mini", "version": "1"}}
        await self._ask("initialize", hello)
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = await self._ask("tools/list", {})
        self.tools = [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool.get("description") or "",
                    "parameters": tool.get("inputSchema") or {"type": "object", "properties": {}},
                },
            }
            for tool in listed.get("tools", [])
        ]

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[list[str], bool]:
        """The text blocks of a tool's answer, and whether it says it failed. Raises McpError."""
        result = await self._ask("tools/call", {"name": name, "arguments": arguments})
        texts = [str(block.get("text", "")) for block in result.get("content", []) if block.get("type") == "text"]
        return texts, bool(result.get("isError"))

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._ids += 1
        answer = await self._post({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        if not isinstance(answer, dict) or "result" not in answer:
            fault = answer.get("error") if isinstance(answer, dict) else None
            raise McpError(f"{method}: {fault or 'no answer'}")
        result: dict[str, Any] = answer["result"]
        return result

    async def _post(self, message: dict[str, Any]) -> Any:
        try:
            answer = await self._client.post(self._url, json=message)
        except httpx.HTTPError as error:
            raise McpError(f"the tool server does not answer ({type(error).__name__})") from None
        if session := answer.headers.get("Mcp-Session-Id"):
            self._client.headers["Mcp-Session-Id"] = session
        if not answer.is_success:
            raise McpError(f"the tool server answered {answer.status_code}")
        if not answer.content:
            return None
        try:
            if "event-stream" not in answer.headers.get("Content-Type", ""):
                return answer.json()
            data = [line[5:].strip() for line in answer.text.splitlines() if line.startswith("data:")]
            return next(value for value in map(json.loads, data) if value.get("id") == message.get("id"))
        except (ValueError, AttributeError, StopIteration):
            raise McpError("the tool server's answer cannot be read") from None
