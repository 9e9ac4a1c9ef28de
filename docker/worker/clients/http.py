"""One way to call a service: a token from its file, a few tries where a repeat is harmless, and a sentence for every failure."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from worker.config import Config

PAUSES = (0.3, 1.0, 3.0)


class ToolError(Exception):
    """What went wrong, for the agent to read. `facts` are added to the answer beside the sentence."""

    def __init__(self, reason: str, status: int = 0, **facts: Any) -> None:
        super().__init__(reason)
        self.status, self.facts = status, facts


class Service:
    """A service by its name in the worker's file."""

    scheme = "Bearer"
    reason_keys = ("reason", "message", "error")

    def __init__(self, name: str, config: Config, client: httpx.AsyncClient) -> None:
        self.name, self._config, self._client = name, config, client
        self.base = str(config.endpoints[name]["url"]).rstrip("/")

    async def call(self, method: str, path: str, *, timeout: float = 20, **asked: Any) -> Any:
        """The JSON answer (None for an empty one). A GET is tried again while the service does not answer; anything else only if it
        could not be reached at all. Raises ToolError."""
        headers = {"Authorization": f"{self.scheme} {self._config.token(self.name)}"}
        for pause in (*PAUSES, None):
            try:
                answer = await self._client.request(
                    method, self.base + path, headers=headers, timeout=httpx.Timeout(timeout, connect=5), **asked
                )
            except httpx.HTTPError as error:
                again = method == "GET" or isinstance(error, httpx.ConnectError)
                if pause is None or not again:
                    raise ToolError(f"the {self.name} does not answer ({type(error).__name__})") from None
            else:
                if pause is None or not (answer.status_code in (429, 502, 503) and method == "GET"):
                    return self._value(answer)
            await asyncio.sleep(pause or 0)
        raise AssertionError("unreachable")

    def _value(self, answer: httpx.Response) -> Any:
        try:
            value = answer.json() if answer.content else None
        except ValueError:
            value = None
        if answer.is_success:
            return value
        reason = next((value[key] for key in self.reason_keys if value.get(key)), "") if isinstance(value, dict) else ""
        raise ToolError(str(reason) or f"the {self.name} answered {answer.status_code}", answer.status_code)
