"""A small JSON client for bootstrap: sync, bounded, with errors that name the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class BootstrapError(RuntimeError):
    """A service refused a step: which call, which status, what it said."""


class Client:
    """Calls below one base address. `call` raises BootstrapError for any status that is not expected."""

    def __init__(self, base: str, headers: Mapping[str, str] | None = None, timeout: float = 10) -> None:
        self.base = base
        self._http = httpx.Client(base_url=base, headers=dict(headers or {}), timeout=timeout, trust_env=False)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """The raw answer. A connection fault is a BootstrapError as well."""
        try:
            return self._http.request(method, path, json=body, **more)
        except httpx.HTTPError as problem:
            raise BootstrapError(f"{method} {path}: {type(problem).__name__}: {problem}") from problem

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The decoded answer of a call that must succeed (None for an empty one)."""
        answer = self.ask(method, path, body, **more)
        if answer.is_error:
            raise BootstrapError(f"{method} {path} answered {answer.status_code}: {answer.text[:300]}")
        return answer.json() if answer.content else None

    def find(self, path: str, **more: Any) -> Any:
        """What a GET gives, or None for 404."""
        answer = self.ask("GET", path, **more)
        if answer.status_code == 404:
            return None
        if answer.is_error:
            raise BootstrapError(f"GET {path} answered {answer.status_code}: {answer.text[:300]}")
        return answer.json()
