from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

DOCKER = Path(__file__).resolve().parents[3] / "docker"
ENV = {**os.environ, "PYTHONPATH": str(DOCKER)}


class Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(app: Any, port: int = 0) -> AsyncIterator[str]:
    """A real HTTP server in the test's own loop."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    server = Quiet(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


class FakeModel:
    """A chat completions endpoint that asks a function what to answer: a text, (tool, arguments), an int status or a pause."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.think: Callable[[list[dict[str, Any]]], Any] = lambda messages: "nothing to do"
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        asked = await request.json()
        self.requests.append(asked)
        said = self.think(asked["messages"])
        if isinstance(said, float):
            await asyncio.sleep(said)
            said = "slept"
        if isinstance(said, int):
            return JSONResponse({"error": {"message": f"status {said}"}}, said)
        message: dict[str, Any] = {"content": said if isinstance(said, str) else ""}
        if isinstance(said, tuple):
            call = {"name": said[0], "arguments": json.dumps(said[1])}
            message["tool_calls"] = [{"index": 0, "id": "call_0", "type": "function", "function": call}]
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
        finish = "tool_calls" if isinstance(said, tuple) else "stop"

        async def stream() -> AsyncIterator[str]:
            yield f"data: {json.dumps({'choices': [{'delta': message, 'finish_reason': None}]})}\n\n"
            yield f"data: {json.dumps({'choices': [{'delta': {}, 'finish_reason': finish}]})}\n\n"
            yield f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n"
            yield "data: [DONE]\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")


class FakeApp:
    """The app's ingest door: keeps items as the real one does, counts what came twice, and what came again otherwise. `older`: it has heard of a newer life."""

    def __init__(self) -> None:
        self.items: dict[tuple[int, int], dict[str, Any]] = {}
        self.doubled, self.changed, self.older = 0, 0, False
        self.blobs, self.faults = dict[str, bytes](), list[int]()
        self.app = Starlette(
            routes=[
                Route("/ingest/{run}/acp", self._acp, methods=["POST"]),
                Route("/ingest/{run}/blobs/{digest}", self._blob, methods=["PUT"]),
            ]
        )

    async def _acp(self, request: Request) -> Response:
        if request.headers["authorization"] != "Bearer agw_1":
            return Response(status_code=401)
        batch = json.loads(gzip.decompress(await request.body()))
        if self.faults:
            return Response(status_code=self.faults.pop(0))
        for item in batch["items"]:
            key = (batch["life"], item["n"])
            self.doubled += key in self.items
            self.changed += self.items.get(key, item) != item
            self.items[key] = item
        n = 0
        while (batch["life"], n + 1) in self.items:
            n += 1
        return JSONResponse({"acknowledged": n, "results": []} | ({"older_life": True} if self.older else {}))

    async def _blob(self, request: Request) -> Response:
        self.blobs[request.path_params["digest"]] = await request.body()
        return Response(status_code=204)

    def loop(self, kind: str, life: int | None = None) -> list[dict[str, Any]]:
        """Loop items of one kind, in order."""
        return [
            item["msg"]
            for key, item in sorted(self.items.items())
            if item["dir"] == "loop" and item["msg"]["kind"] == kind and life in (None, key[0])
        ]


def spooled(place: Path) -> dict[tuple[int, int], dict[str, Any]]:
    """Every whole item in a worker's spool."""
    found = {}
    for path in place.joinpath("spool").glob("*.jsonl"):
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                item = json.loads(line)
                found[(int(path.stem), item["n"])] = item
    return found


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def ingest() -> FakeApp:
    return FakeApp()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[str]:
    """A real board process for w0001 and w0002; gives its address."""
    place = tmp_path / "board"
    place.mkdir()
    (place / "tokens.json").write_text(json.dumps({"workers": {"w0001": "one", "w0002": "two"}, "ingest": "eye"}))
    config = {
        "data_dir": str(place),
        "ready_file": str(place / "ready.json"),
        "tokens_file": str(place / "tokens.json"),
    }
    (place / "config.json").write_text(json.dumps(config))
    process = subprocess.Popen([sys.executable, "-m", "board", "--config", place / "config.json"], env=ENV)
    try:
        yield ready(place / "ready.json", process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def ready(path: Path, process: subprocess.Popen[bytes]) -> str:
    """The address a service announced."""
    for _ in range(600):
        if path.exists():
            return str(json.loads(path.read_text())["url"])
        assert process.poll() is None, "the service ended"
        time.sleep(0.05)
    raise AssertionError("the service never got ready")


class Place:
    """A worker's folder and its process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.life, self.process = folder, 0, None
        self.path: list[str] = []  # what comes before the programs on the worker's import path
        folder.mkdir(parents=True)
        (folder / "one.token").write_text("one")
        (folder / "agw.token").write_text("agw_1")
        self.config: dict[str, Any] = {
            "run": "demo",
            "worker": 1,
            "name": "w0001",
            "command": [sys.executable, "-m", "worker.mini"],
            "env": {},
            "harness": "mini",
            "task": {"name": "rill", "title": "Rill"},
            "endpoints": {},
            "token_files": {"ingest": str(folder / "agw.token"), "board": str(folder / "one.token")},
            "reminders_s": [],
            "idle_limit_s": 600,
            "wake_gap_s": 0.05,
        }

    async def start(self, *, model: str, ingest: str = "", board: str = "", seconds: float = 60, **more: Any) -> None:
        self.life += 1
        endpoints = {"ingest": {"url": ingest}, "board": {"url": board}, **more.pop("endpoints", {})}
        self.config["endpoints"] = {name: value for name, value in endpoints.items() if value["url"]}
        self.config["env"] = {"AGENSH_MODEL_URL": f"{model}/v1", "AGENSH_MODEL": "fake", **more.pop("env", {})}
        self.config |= {"life": self.life, "deadline_at": time.time() + seconds, **more}
        path = self.folder / "worker.json"
        path.write_text(json.dumps(self.config))
        log = (self.folder / "log.txt").open("ab")
        env = {**ENV, "PYTHONPATH": os.pathsep.join([*self.path, str(DOCKER)])}
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "worker", "--config", path, env=env, stderr=log, stdout=log
        )
        log.close()

    async def end(self, sign: int = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(sign)
        return await asyncio.wait_for(self.process.wait(), 40)

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    place = Place(tmp_path / "w0001")
    yield place
    if place.process is not None and place.process.returncode is None:
        place.process.kill()
        await place.process.wait()


def slack() -> float:
    """Seconds more that a worker may need to start where others use the machine too."""
    return 2 * os.getloadavg()[0]


async def until(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not (value := what()):
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.05)
    return value
