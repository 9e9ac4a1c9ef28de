"""Where the app is not on the workers' network, their batches reach it through the gateway, and nothing else of the app does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gateway.door import Door


@pytest.fixture
async def app() -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """An app on a socket that remembers what reached it and asks for patience once."""
    seen: list[dict[str, Any]] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        seen.append({"first": first, "headers": headers, "body": body})
        writer.write(b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nSet-Cookie: x=1\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", seen
    server.close()


async def test_a_batch_arrives_as_it_was_sent_and_the_answer_comes_back(app: tuple[str, list[dict[str, Any]]]) -> None:
    url, seen = app
    headers = {"authorization": "Bearer agw_1", "content-encoding": "gzip", "cookie": "no", "x-api-key": "no"}
    answer = await Door(url).carry("POST", "/ingest/demo-1/acp", headers, b"\x1f\x8bbatch")
    assert (answer.status, answer.headers["retry-after"], answer.body) == (429, "7", b"{}")
    assert "set-cookie" not in answer.headers
    (batch,) = seen
    assert (batch["first"], batch["body"]) == ("POST /ingest/demo-1/acp HTTP/1.1", b"\x1f\x8bbatch")
    assert batch["headers"]["authorization"] == "Bearer agw_1"
    assert batch["headers"]["content-encoding"] == "gzip"
    assert "cookie" not in batch["headers"] and "x-api-key" not in batch["headers"]


@pytest.mark.parametrize(
    "path",
    [
        "/ingest/demo-1/gitea",
        "/ingest/demo-1/../../api/v1/runs",
        "/ingest//acp",
        "/ingest/demo-1/acp/",
        "/ingest/demo-1/blobs/../acp",
        "/ingest/demo-1/acp?x",
    ],
)
async def test_nothing_but_batches_and_blobs_gets_through(app: tuple[str, list[dict[str, Any]]], path: str) -> None:
    url, seen = app
    assert (await Door(url).carry("POST", path, {}, b"")).status == 404
    assert (await Door(url).carry("GET", "/ingest/demo-1/acp", {}, b"")).status == 405
    assert seen == []


async def test_an_app_that_is_down_is_said_so_and_the_worker_keeps_what_it_has() -> None:
    answer = await Door("http://127.0.0.1:9").carry("PUT", f"/ingest/demo-1/blobs/{'a' * 64}", {}, b"x")
    assert answer.status == 502
    assert b"ask again" in answer.body
