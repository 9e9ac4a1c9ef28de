"""The scripted model behind a lock: it wants a key, fails in every way now and then, and repeats the key in its errors."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
RILL = ROOT / "docker" / "tasks" / "rill"


class Quiet(ThreadingHTTPServer):
    """A caller that went away in the middle is no fault of ours; a queue longer than the usual five."""

    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class LockedModel:
    """`seen` counts what reached it with the right key, `refused` without. Faults come by turns, never the same request twice."""

    def __init__(self, folder: Path, key: str, *, host: str = "127.0.0.1", task: Path = RILL) -> None:
        self.key, self.seen, self.refused = key, 0, 0
        self._turn = itertools.count(1)
        folder.mkdir(parents=True)
        config = {
            "data_dir": str(folder),
            "ready_file": str(folder / "ready.json"),
            "task_dir": str(task),
        }
        (folder / "config.json").write_text(json.dumps({**config, "seed": 7, "think_ms": 100}))
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "docker")}
        command = [sys.executable, "-m", "standins.model", "--config", str(folder / "config.json")]
        self._process = subprocess.Popen(command, env=env)
        while not (folder / "ready.json").exists():
            assert self._process.poll() is None
            time.sleep(0.05)
        self._model = urlsplit(json.loads((folder / "ready.json").read_text())["url"]).netloc
        self._server = Quiet((host, 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://{host}:{self._server.server_port}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._process.kill()
        self._process.wait()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        locked = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                right = self.headers.get("Authorization") == f"Bearer {locked.key}"
                self._say(200 if right else 401, {"data": []})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Authorization") != f"Bearer {locked.key}":
                    locked.refused += 1
                    self._say(401, {"error": {"message": "no"}})
                    return
                locked.seen += 1
                turn = next(locked._turn)
                if turn % 19 == 0:
                    self._say(401, {"error": {"message": f"Incorrect API key provided: {locked.key}"}})
                elif turn % 11 == 0:
                    self._say(500, {"error": {"message": f"failed with {self.headers['Authorization']}"}})
                elif turn % 7 == 0:
                    self._say(429, {"error": {"message": "slow down"}})
                else:
                    self._pass(body, turn)

            def _say(self, status: int, value: Any) -> None:
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.send_header("X-Echo", str(self.headers.get("Authorization")))
                self.end_headers()
                self.wfile.write(text)

            def _pass(self, body: bytes, turn: int) -> None:
                with closing(http.client.HTTPConnection(locked._model, timeout=60)) as far:
                    far.request("POST", self.path, body, {"Content-Type": "application/json"})
                    answer = far.getresponse()
                    said = answer.read()
                self.close_connection = True
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["Content-Type"])
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said[: len(said) // 2] if turn % 23 == 0 else said)  # now and then half an answer

            def log_message(self, *_: Any) -> None:
                pass

        return Handler
