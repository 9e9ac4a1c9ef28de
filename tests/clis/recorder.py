"""Stands between gateway and model and keeps every request's body: what a CLI really put on the wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen


@dataclass
class Recorder:
    """`asked`: (path, body) of each request, in the order they came."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @contextmanager
    def before(self, model: Callable[[], str]) -> Iterator[str]:
        """Serve on a port of its own while the block runs; gives its address. `model()` is where requests go on to."""
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"  # an answer ends with its connection

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.path, json.loads(body)))
                request = Request(model() + self.path, body, {"Content-Type": "application/json"})
                with urlopen(request, timeout=60) as answer:
                    self.send_response(answer.status)
                    self.send_header("Content-Type", answer.headers["Content-Type"])
                    self.end_headers()
                    with suppress(ConnectionError):  # a worker that is stopped reads no further
                        while piece := answer.read1(1 << 16):
                            self.wfile.write(piece)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
