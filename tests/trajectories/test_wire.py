"""Frames made once, on a real server: what goes over the wire is a WebSocket message, and whoever does not read costs nobody anything."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest
import uvicorn
from websockets.frames import Opcode
from websockets.protocol import CLIENT, OPEN
from websockets.protocol import Protocol as Sockets

from agensh_web.sockets import HELD, FrameSockets
from trajectories.bench.broadcasting import Reader
from trajectories.live.subscription import EXTENSION, Message, Wired, framed

EACH = 50  # sockets that read, and as many that never do
BATCHES, SIZE = 400, 12_000


class Narrow:
    """A wire that takes so many frames and then none, until it is drained."""

    def __init__(self, room: int) -> None:
        self.room, self.sent = room, list[bytes]()
        self.drained = lambda: None

    def write(self, frame: bytes) -> bool:
        if len(self.sent) >= self.room:
            return False
        self.sent.append(frame)
        return True


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_what_a_client_reads(size: int) -> None:
    client = Sockets(CLIENT, state=OPEN, max_size=None)
    client.receive_data(framed("ü" * (size // 2) + "x" * (size % 2)))
    (frame,) = client.events_received()
    assert (frame.opcode, frame.fin, len(frame.data)) == (Opcode.TEXT, True, size)


def test_who_has_no_room_is_told_the_newest_place_once_and_then_every_message_again() -> None:
    wire = Narrow(room=1)
    slow = Wired(1, wire)
    for k in range(4):
        slow.give(Message.of(f"message {k}", f"pointer {k}"))
    assert wire.sent == [framed("message 0")]
    wire.room = 9
    wire.drained()
    slow.give(Message.of("message 4", "pointer 4"))
    assert wire.sent == [framed("message 0"), framed("pointer 3"), framed("message 4")]


class Served:
    """An application that hands each connection's wire to a subscription, on uvicorn as the app is served."""

    def __init__(self) -> None:
        self.subscriptions: list[Wired] = []
        config = uvicorn.Config(
            self.app,
            interface="asgi3",
            ws=FrameSockets,
            ws_per_message_deflate=False,
            lifespan="off",
            log_level="error",
        )
        self.server = uvicorn.Server(config)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        self.subscriptions.append(Wired(1, scope["extensions"][EXTENSION]))
        while (await receive())["type"] != "websocket.disconnect":
            pass

    def tell(self, k: int) -> None:
        """One batch to every socket, as the hub does it."""
        text = json.dumps({"from": k, "to": k, "changes": ["x" * SIZE]})
        message = Message.of(text, json.dumps({"to": k}))
        for each in self.subscriptions:
            each.give(message)


def test_fifty_that_never_read_cost_the_fifty_that_do_nothing() -> None:
    readers, deaf, held = asyncio.run(_watched())
    assert max(held) <= HELD + 2 * SIZE, "what a deaf socket may cost is bounded"
    every = list(range(1, BATCHES + 1))
    assert all([message["from"] for message in each] == every for each in readers), (
        "who reads is told each batch, in order"
    )
    for heard in deaf:
        whole = [message["to"] for message in heard if "changes" in message]
        pointers = [message["to"] for message in heard if "changes" not in message]
        assert whole == every[: len(whole)], "up to where it fell behind it has everything"
        assert 0 < len(whole) < BATCHES
        assert pointers[-1] == BATCHES, "and then it is told where to read on: nothing is lost without a word"


async def _watched() -> tuple[list[list[Any]], list[list[Any]], list[int]]:
    served = Served()
    serving = asyncio.create_task(served.server.serve(sockets=[served.listener]))
    while not served.server.started:
        await asyncio.sleep(0.02)
    readers = [await Reader.open(served.url, "/") for _ in range(EACH)]
    deaf = [await Reader.open(served.url, "/") for _ in range(EACH)]
    for each in deaf:
        each.transport.pause_reading()
    for k in range(1, BATCHES + 1):
        served.tell(k)
        await asyncio.sleep(0.005)
    held = [each.wire.transport.get_write_buffer_size() for each in served.subscriptions]  # type: ignore[attr-defined]
    for each in deaf:
        each.transport.resume_reading()
    await asyncio.sleep(3)
    told = [[json.loads(text) for _, text in each.texts()] for each in (*readers, *deaf)]
    for each in (*readers, *deaf):
        each.close()
    served.server.should_exit = True
    await serving
    return told[:EACH], told[EACH:], held
