"""uvicorn's protocol with a shelf, on a real socket: what is on it comes at once and is what the application would have said; all else is the application's."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from http.client import parse_headers
from typing import Any

import pytest
import uvicorn

from agensh_web import shelf_http
from agensh_web.shelf import Answer, Shelf
from agensh_web.shelf_http import ShelfHttp
from agensh_web.warm import Warm

PATH = "/api/v1/runs/warmed/timeline"
PIECE = f"{PATH}?segment=0&etag=abc"
BODY = bytes(range(256)) * 2_000  # larger than a connection takes at once
KEPT = [(b"ETag", b'"abc"'), (b"Content-Type", b"application/octet-stream"), (b"Cache-Control", b"private, immutable")]


class Served:
    """An application that counts who reaches it, on uvicorn as the app is served."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
        self.asked: list[str] = []
        self.clients: list[Client] = []
        self.shelf = Shelf()
        monkeypatch.setattr(shelf_http, "SHELF", self.shelf)
        settings = {"http": ShelfHttp, "lifespan": "off", "log_level": "error", "access_log": False, **options}
        self.server = uvicorn.Server(uvicorn.Config(Warm(self.app, self.shelf), interface="asgi3", **settings))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self.thread.start()

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(f"{scope['method']} {scope['path']}")
        if "slow" in scope["path"]:
            await asyncio.sleep(1.5)
        headers = [*KEPT, (b"Content-Length", b"%d" % len(BODY))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else BODY})

    def stop(self) -> None:
        for each in self.clients:
            each.lines.close()
            each.link.close()
        self.server.should_exit = True
        self.thread.join(10)
        self.listener.close()

    def client(self) -> Client:
        self.clients.append(Client(self.listener.getsockname()[1]))
        return self.clients[-1]


class Client:
    """One connection that writes what it is told."""

    def __init__(self, port: int) -> None:
        self.link = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.lines = self.link.makefile("rb")

    def write(self, *requests: str) -> None:
        self.link.sendall("".join(requests).encode())

    def read(self, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
        status = int(self.lines.readline().split()[1])
        told = parse_headers(self.lines)
        length = 0 if method == "HEAD" or status == 304 else int(told["content-length"])
        return status, {name.lower(): value for name, value in told.items()}, self.lines.read(length)

    def closed(self) -> bool:
        return self.lines.read(1) == b""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    app = Served(monkeypatch, timeout_keep_alive=1)
    yield app
    app.stop()


def request(address: str = PIECE, method: str = "GET", cookie: str | None = "sessionid=ann", **more: str) -> str:
    headers = {"Host": "testserver", **({"Cookie": cookie} if cookie else {}), **more}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"{method} {address} HTTP/1.1\r\n{lines}\r\n"


def asked_once(served: Served) -> tuple[Client, tuple[int, dict[str, str], bytes]]:
    client = served.client()
    client.write(request())
    cold = client.read()
    assert served.asked == [f"GET {PATH}"]
    return client, cold


def test_what_is_on_the_shelf_is_what_the_application_said(served: Served) -> None:
    client, cold = asked_once(served)
    client.write(request())
    status, headers, body = client.read()
    assert {**headers, "date": ""} == {**cold[1], "date": ""}
    assert (status, body) == (200, BODY) == (cold[0], cold[2])
    client.write(request(If_None_Match='"abc"'))
    status, headers, body = client.read()
    assert (status, body, headers["etag"]) == (304, b"", '"abc"')
    assert not {"content-type", "content-length"} & set(headers)
    assert len(served.asked) == 1
    assert served.server.server_state.total_requests == 3, "who stops the server after so many counts these too"


def test_an_answer_without_a_length_is_told_with_one(served: Served) -> None:
    client, _ = asked_once(served)
    served.shelf.keep(f"testserver{PATH}?etag=b", Answer(KEPT, b"short"))
    client.write(request(f"{PATH}?etag=b"))
    status, headers, body = client.read()
    assert (status, headers["content-length"], body) == (200, "5", b"short")
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {"cookie": None}),
        ("GET", {"cookie": "sessionid=bob"}),
        ("GET", {"cookie": "seen=1\r\nCookie: sessionid=ann"}),
        ("GET", {"Authorization": "Bearer x"}),
        ("GET", {"Content_Length": "0"}),
        ("HEAD", {}),
        ("POST", {"Content_Length": "0"}),
    ],
)
def test_anybody_and_anything_else_is_the_application_s(served: Served, method: str, headers: dict[str, Any]) -> None:
    client, _ = asked_once(served)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ShelfHttp, "_hand_over", lambda *_: pytest.fail("the protocol answered by itself"))
        client.write(request(method=method, **headers))
        assert client.read(method)[0] == 200


def test_half_of_a_person_s_cookies_lets_nobody_in(served: Served) -> None:
    client = served.client()
    client.write(request(cookie="sessionid=ann\r\nCookie: seen=1"))
    assert client.read()[0] == 200
    client.write(request(cookie="seen=1"))
    assert client.read()[0] == 200
    assert len(served.asked) == 2, "the application decides on each"


def test_requests_in_one_piece_are_answered_in_order_and_a_slow_one_is_waited_for(served: Served) -> None:
    client, _ = asked_once(served)
    client.write(request(), request("/api/slow"), request(), request("/api/last"))
    assert [client.read()[0] for _ in range(4)] == [200] * 4
    assert served.asked[1:] == ["GET /api/slow", "GET /api/last"], "longer than a quiet connection is kept"


def test_a_connection_ends_when_it_is_told_to_and_when_nobody_asks_any_more(served: Served) -> None:
    client, _ = asked_once(served)
    client.write(request(Connection="close"))
    status, headers, body = client.read()
    assert (status, headers["connection"], body) == (200, "close", BODY)
    assert client.closed()
    quiet = served.client()
    quiet.write(request())
    assert quiet.read()[2] == BODY
    assert quiet.closed(), "after a second of silence"
