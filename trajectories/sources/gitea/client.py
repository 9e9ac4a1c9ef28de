"""The few GET calls of a sweep, at most five a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

RATE = 5.0
BURST = 5.0
STEP_S = 1.0  # a step that took so long leaves the rest to the next: the outbox is read in between
_PAGE = 50
_clients: dict[str, httpx.Client] = {}
_lock = threading.Lock()


class Spent(Exception):
    """The calls of this second are used up: go on at the next step."""


class Budget:
    """Five calls at once, then five a second; what is left is part of the cursor."""

    def __init__(self, memory: dict[str, Any], now: int, *, wait: bool) -> None:
        self.memory, self.wait = memory, wait
        self.until = time.monotonic() + STEP_S
        before, left = int(memory.get("spent_at") or 0), int(memory.get("calls", BURST * 1000)) / 1000
        self.left = min(BURST, left + max(0, now - before) / 1000 * RATE)
        memory |= {"spent_at": now, "calls": int(self.left * 1000)}

    def need(self, calls: int) -> None:
        """Go on only with this many calls left, and in time: raises Spent, or waits where told to."""
        if not self.wait and time.monotonic() > self.until:
            raise Spent
        while self.left < calls:
            if not self.wait:
                raise Spent
            time.sleep(1 / RATE)
            self.left += 1

    def take(self) -> None:
        """Use one call; what was not there is owed."""
        self.left -= 1
        self.memory["calls"] = int(self.left * 1000)


class Forge:
    """GET calls on one repository."""

    def __init__(self, forge: Mapping[str, Any], budget: Budget) -> None:
        self.base = f"{str(forge['url']).rstrip('/')}/api/v1/repos/{forge['owner']}/{forge['repo']}"
        self.headers = {"Authorization": f"token {_token(forge)}"}
        self.budget = budget

    def get(self, path: str, **query: str | int) -> Any:
        """One answer. Raises httpx.HTTPError, ValueError."""
        self.budget.take()
        answer = _client(self.base).get(self.base + path, params=query, headers=self.headers)
        answer.raise_for_status()
        return answer.json()

    def pages(self, path: str, **query: str | int) -> list[dict[str, Any]]:
        """Every page of a list."""
        found: list[dict[str, Any]] = []
        page = 1
        while True:
            rows = self.get(path, **query, page=page, limit=_PAGE)
            found += [row for row in rows or [] if isinstance(row, dict)]
            # A server may cap a page below what was asked for; only an empty or short last page ends the list.
            if not rows or len(rows) < min(_PAGE, 30):
                return found
            page += 1


def _token(forge: Mapping[str, Any]) -> str:
    for key in ("admin_token", "token"):
        named = forge.get(key)
        if isinstance(named, Mapping) and named.get("token_file"):
            return Path(str(named["token_file"])).read_text("utf-8").strip()
    if forge.get("token_file"):
        return Path(str(forge["token_file"])).read_text("utf-8").strip()
    return str(forge.get("token") or "")


def _client(base: str) -> httpx.Client:
    # Making a client costs more than a call: one is kept for each address.
    with _lock:
        if base not in _clients:
            if len(_clients) > 64:
                _clients.pop(next(iter(_clients))).close()
            _clients[base] = httpx.Client(timeout=5.0, trust_env=False)
        return _clients[base]
