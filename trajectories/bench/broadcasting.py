"""The ceiling of fan-out: `websockets.broadcast` in a process of its own, and readers so lean that both sides are measured, not they."""

from __future__ import annotations

import asyncio
import base64
import multiprocessing
import os
import time
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.server import broadcast, serve


class Reader(asyncio.Protocol):
    """A socket that notes what came when, and takes it apart afterwards."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.came: list[tuple[float, bytes]] = []
        self.bytes = 0
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.head = b""

    @classmethod
    async def open(cls, url: str, path: str, cookie: str = "") -> Reader:
        """Connected, its handshake done."""
        host = urlsplit(url)
        transport, reader = await asyncio.get_running_loop().create_connection(cls, host.hostname, host.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host.netloc}", f"Origin: http://{host.netloc}", f"Cookie: {cookie}"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        reader.transport = transport
        transport.write("\r\n".join([*lines, "", ""]).encode())
        await asyncio.wait_for(reader.opened, 20)
        return reader

    def data_received(self, data: bytes) -> None:
        if self.opened.done():
            self.came.append((time.perf_counter(), data))
            self.bytes += len(data)
            return
        self.head += data
        if b"\r\n\r\n" in self.head:
            head, _, rest = self.head.partition(b"\r\n\r\n")
            if b" 101 " not in head.splitlines()[0]:
                self.opened.set_exception(RuntimeError(head.splitlines()[0].decode()))
                return
            self.opened.set_result(None)
            if rest:
                self.came.append((time.perf_counter(), rest))

    def connection_lost(self, problem: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(problem or RuntimeError("the server closed the connection"))

    def close(self) -> None:
        """Leave without a word."""
        self.transport.abort()

    def texts(self) -> list[tuple[float, bytes]]:
        """Each text with the moment its last byte came. A server's frames are not masked."""
        found, rest = [], b""
        for at, data in self.came:
            rest += data
            while (frame := _frame(rest)) is not None:
                opcode, text, rest = frame
                if opcode == 1:
                    found.append((at, text))
        return found


def _frame(data: bytes) -> tuple[int, bytes, bytes] | None:
    """Opcode, payload and what follows; None while it is not whole."""
    if len(data) < 2:
        return None
    size, start = data[1] & 0x7F, 2
    if size >= 126:
        wide = 2 if size == 126 else 8
        size, start = int.from_bytes(data[2 : 2 + wide], "big"), 2 + wide
    if len(data) < start + size:
        return None
    return data[0] & 0x0F, data[start : start + size], data[start + size :]


def ranked(delays: list[float]) -> dict[str, float]:
    """p50 and p99 in ms."""
    ordered = sorted(delays)
    return {f"p{share}": round(ordered[len(ordered) * share // 100] * 1000, 2) for share in (50, 99)} if ordered else {}


class Bare:
    """A bare server with as many sockets beside ours: told a size, it broadcasts a text of that size to all of them, at once."""

    def __init__(self, sockets: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serving, args=(theirs, sockets))
        self.process.start()
        self.sockets, self.readers = sockets, list[Reader]()

    async def open(self) -> None:
        """Its sockets, read as ours are."""
        url = f"http://127.0.0.1:{await asyncio.to_thread(self.pipe.recv)}"
        self.readers = [await Reader.open(url, "/") for _ in range(self.sockets)]
        await asyncio.to_thread(self.pipe.recv)

    def say(self, size: int) -> None:
        """One broadcast."""
        self.pipe.send(size)

    async def end(self) -> dict[str, Any]:
        """Processor microseconds a message, and ms from each call to the last byte at each socket."""
        self.pipe.send(0)
        us, called = await asyncio.to_thread(self.pipe.recv)
        for each in self.readers:
            each.close()
        self.process.join(30)
        delays = [at - when for each in self.readers for (at, _), when in zip(each.texts(), called, strict=False)]
        return {"us": round(float(us), 1), "latency_ms": ranked(delays)}


def _serving(pipe: Any, sockets: int) -> None:
    async def run() -> None:
        found: set[Any] = set()
        told: asyncio.Queue[int] = asyncio.Queue()

        async def hold(socket: Any) -> None:
            found.add(socket)
            await socket.wait_closed()

        async with serve(hold, "127.0.0.1", 0, compression=None) as server:
            pipe.send(server.sockets[0].getsockname()[1])
            while len(found) < sockets:
                await asyncio.sleep(0.05)
            pipe.send("ready")
            asyncio.get_running_loop().add_reader(pipe.fileno(), lambda: told.put_nowait(pipe.recv()))
            cpu, called = time.process_time(), list[float]()
            while size := await told.get():
                text = "x" * size
                called.append(time.perf_counter())  # one clock for all processes of a machine
                broadcast(found, text)
            asyncio.get_running_loop().remove_reader(pipe.fileno())
            pipe.send(((time.process_time() - cpu) / max(1, len(called) * sockets) * 1e6, called))

    asyncio.run(run())
