from __future__ import annotations

import os
import secrets
from pathlib import Path

import psycopg
import pytest

from board.log import open_log, replay
from board.service import Service
from trajectories.sources.board import pull

URL = os.environ.get("DATABASE_URL", "")
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not URL.startswith("postgres"), reason="needs DATABASE_URL of a PostgreSQL"),
]


@pytest.fixture
def url() -> str:
    """An address whose tables are a schema of this test's own."""
    schema = f"board_{secrets.token_hex(4)}"
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{URL}{'&' if '?' in URL else '?'}options=-csearch_path%3D{schema}"


async def test_the_log_is_the_same_in_postgresql(url: str, tmp_path: Path) -> None:
    service = Service(open_log(tmp_path, url), 3600, lambda: 1_800_000_000_000)
    for text in ("nul \0 byte", "lone \ud800 surrogate", "x" * 100):
        service.write("w0001", {"type": "FACT", "text": text, "detail": "\0"})
    await service.settled()
    with pytest.raises(RuntimeError, match="another board"):
        open_log(tmp_path, url)
    service.end()
    log = open_log(tmp_path, url)
    assert [entry["seq"] for entry in replay(log, page=2)] == [1, 2, 3]
    again = Service(log, 3600, lambda: 0)
    assert again.board.notes[1].text == "nul \0 byte"
    again.end()
    pulled = pull({"board": {"url": "http://127.0.0.1:9", "outbox": url}}, 1)
    assert [delivery.seq for delivery in pulled.deliveries] == [2, 3]
