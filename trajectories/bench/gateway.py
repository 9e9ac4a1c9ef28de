"""The model gateway beside a direct connection to the same model: requests a second, what it adds to each, bytes a second, a thousand at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trajectories.bench.programs import cpu_s, memory_mb, service

MODEL = Path(__file__).with_name("streaming_model.py")
BODY_KB, CHUNKS, SIZE = 100, 20, 200  # a request's prompt; an answer's events and their bytes
ONES, AT_ONCE, SECONDS = 200, 32, 5.0
MANY = 1_024
BIG_CHUNKS, BIG_SIZE = 4_000, 4_000


def gateway() -> dict[str, Any]:
    """Each figure directly and through the gateway, and their ratio; `cpu_ms` = the gateway's processor time a request."""
    with tempfile.TemporaryDirectory() as folder, _model(CHUNKS, SIZE) as near, _model(BIG_CHUNKS, BIG_SIZE) as big:
        place = Path(folder)
        (place / "tokens.json").write_text(json.dumps({"workers": {"1": "secret"}, "ingest": "ingest"}))
        common = {"tokens_file": str(place / "tokens.json"), "model": "m", "auth": "none", "prices": []}
        with service("gateway", place / "a", endpoint=f"http://127.0.0.1:{near}/v1", **common) as (url, pid):
            far = int(url.rsplit(":", 1)[1])
            one = [asyncio.run(_one_by_one(port, ONES)) for port in (near, far)]
            before, seen = cpu_s(pid), asyncio.run(_at_once(near, AT_ONCE, SECONDS))
            through = asyncio.run(_at_once(far, AT_ONCE, SECONDS))
            spent = cpu_s(pid) - before
            crowd = asyncio.run(_crowd(far, MANY))
            memory = memory_mb(pid)
        with service("gateway", place / "b", endpoint=f"http://127.0.0.1:{big}/v1", **common) as (url, _):
            bytes_a_second = [asyncio.run(_volume(port)) for port in (big, int(url.rsplit(":", 1)[1]))]
    return {
        "request_kb": BODY_KB,
        "answer_events": CHUNKS,
        "first_byte_ms": {"direct": one[0], "gateway": one[1], "added": round(one[1] - one[0], 2)},
        "requests_per_s": {"direct": seen, "gateway": through, "ratio": round(through / seen, 3), "at_once": AT_ONCE},
        "cpu_ms": round(spent * 1000 / max(1.0, through * SECONDS), 2),
        "stream_mb_per_s": {"direct": bytes_a_second[0], "gateway": bytes_a_second[1]},
        "crowd": {**crowd, "gateway_mb": round(memory, 1)},
    }


@contextlib.contextmanager
def _model(chunks: int, size: int) -> Iterator[int]:
    process = subprocess.Popen([sys.executable, str(MODEL), str(chunks), str(size)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _request() -> bytes:
    text = "word " * (BODY_KB * 1024 // 5)
    messages = [{"role": "user", "content": text}]
    asked = {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": messages,
        "tools": [{}],
    }
    body = json.dumps(asked).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[float, int]:
    """(seconds to the first event, bytes of the answer)."""
    began = time.perf_counter()
    writer.write(request)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], head
    first, size = 0.0, 0
    while True:
        length = int(await reader.readuntil(b"\r\n"), 16)
        await reader.readexactly(length + 2)
        first = first or time.perf_counter() - began
        size += length
        if length == 0:
            return first, size


async def _one_by_one(port: int, count: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    request = _request()
    took = [(await _ask(reader, writer, request))[0] for _ in range(count)]
    writer.close()
    return round(statistics.median(took) * 1000, 2)


async def _at_once(port: int, workers: int, seconds: float) -> float:
    request, end, done = _request(), time.perf_counter() + seconds, 0

    async def work() -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        while time.perf_counter() < end:
            await _ask(reader, writer, request)
            done += 1
        writer.close()

    await asyncio.gather(*(work() for _ in range(workers)))
    return round(done / seconds, 1)


async def _crowd(port: int, workers: int) -> dict[str, Any]:
    """Every worker of the largest team asks in the same instant: how many are answered, and when the last one is."""
    request = _request()

    async def work() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        await _ask(reader, writer, request)
        writer.close()

    began = time.perf_counter()
    told = await asyncio.gather(*(work() for _ in range(workers)), return_exceptions=True)
    answered = sum(each is None for each in told)
    return {"workers": workers, "answered": answered, "last_s": round(time.perf_counter() - began, 2)}


async def _volume(port: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    began = time.perf_counter()
    _, size = await _ask(reader, writer, _request())
    writer.close()
    return round(size / (time.perf_counter() - began) / 1e6, 1)
