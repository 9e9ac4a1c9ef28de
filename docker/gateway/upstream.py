"""The model's side: address, key and client. The key is read from its file at each use and lives in no other place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.request import getproxies

import httpx

from gateway.settings import Settings
from gateway.usage import CHAT, MESSAGES, RESPONSES
from gateway.wire import Client, Response

PATHS = {CHAT: "/chat/completions", RESPONSES: "/responses", MESSAGES: "/messages", "count": "/messages/count_tokens"}
PASSED_UP = ("accept", "anthropic-version", "anthropic-beta", "openai-beta", "user-agent")
CONNECT_S = 10.0


class NoEndpoint(Exception):
    """The model's address is not known yet."""


class Upstream:
    """One client for all workers; connections are kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._base, self._read_at = settings.endpoint, 0
        # A proxy of the environment is for addresses outside; one that is spoken to in clear is spoken to directly.
        outside = not settings.endpoint.startswith("http:") and settings.endpoint_file is None
        self._client = Client(settings.idle_s, CONNECT_S)
        self._proxied = _through_proxies(settings.idle_s) if outside and getproxies() else None

    def key(self) -> str:
        """The model's key as its file holds it now; empty if there is none."""
        try:
            return self._settings.key_file.read_text("utf-8").strip() if self._settings.key_file else ""
        except (OSError, UnicodeDecodeError):
            return ""

    def base(self) -> str:
        """Where the API begins. Raises NoEndpoint."""
        file = self._settings.endpoint_file
        if file is not None:
            self._look(file)
        if not self._base:
            raise NoEndpoint("the model is not up yet")
        return self._base

    def _look(self, file: Path) -> None:
        try:
            changed = file.stat().st_mtime_ns
            if changed != self._read_at:
                self._base = f"{str(json.loads(file.read_text('utf-8'))['url']).rstrip('/')}/v1"
                self._read_at = changed
        except (OSError, ValueError, KeyError, TypeError):
            return  # half written or gone: the address known so far stays

    async def send(
        self, api: str, query: str, headers: Mapping[str, str], body: bytes, key: str
    ) -> httpx.Response | Response:
        """The model's answer, its body still to be read. Raises httpx.HTTPError and NoEndpoint."""
        url = f"{self.base()}{PATHS[api]}{f'?{query}' if query else ''}"
        sent = {name: headers[name] for name in PASSED_UP if name in headers}
        sent |= {"content-type": "application/json", "accept-encoding": "identity"}
        if key and self._settings.auth == "bearer":
            sent["authorization"] = f"Bearer {key}"
        elif key and self._settings.auth != "none":
            sent[self._settings.auth] = key
        if self._proxied is None:
            return await self._client.post(url, sent, body)
        request = self._proxied.build_request("POST", url, headers=sent, content=body)
        return await self._proxied.send(request, stream=True)

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()
        if self._proxied is not None:
            await self._proxied.aclose()


def _through_proxies(idle_s: float) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=30)
    return httpx.AsyncClient(timeout=httpx.Timeout(idle_s, connect=CONNECT_S, pool=None), limits=limits)
