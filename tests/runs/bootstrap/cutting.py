"""A launch that ends in the middle of a call."""

from __future__ import annotations

import threading
from typing import Any

import httpx
import pytest

from runs.bootstrap.client import Client


class PowerCut(BaseException):
    """The end of a process, wherever it is."""


class Cutter:
    """Counts the calls of bootstrap and ends it at one of them, before the service hears it or after it did it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.at, self.answered = 0, False
        self.lock = threading.Lock()
        ask = Client.ask

        def cut(client: Client, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
            with self.lock:
                self.calls.append(f"{method} {path}")
                now = len(self.calls) == self.at
            if now and not self.answered:
                raise PowerCut
            answer = ask(client, method, path, body, **more)
            if now:
                raise PowerCut
            return answer

        monkeypatch.setattr(Client, "ask", cut)

    def arm(self, at: int, answered: bool) -> None:
        self.calls, self.at, self.answered = [], at, answered
