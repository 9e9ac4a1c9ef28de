from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest

from board.app import build
from board.log import open_log
from board.service import Service
from serving.tokens import Tokens

START = 1_800_000_000_000


class Clock:
    """Milliseconds that only a test moves."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens_file(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"workers": {"w0001": "one", "w0002": "two"}, "ingest": "eye"}))
    return path


@pytest.fixture
async def board(tmp_path: Path, tokens_file: Path, clock: Clock) -> AsyncIterator[Callable[[str], httpx.AsyncClient]]:
    """Clients of one running board, by token."""
    service = Service(open_log(tmp_path), 3600, clock)
    app = build(service, Tokens(tokens_file))
    clients: list[httpx.AsyncClient] = []

    def client(token: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {token}"}
        clients.append(httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://board", headers=headers))
        return clients[-1]

    yield client
    for each in clients:
        await each.aclose()
    service.end()
