"""`python -m board --config FILE`: serve the board until SIGTERM."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from board.app import build
from board.log import open_log
from board.service import Service
from board.tokens import Tokens


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, bind, say where, serve."""
    parser = argparse.ArgumentParser(prog="board", description=__doc__)
    parser.add_argument("--config", required=True, type=Path)
    path = parser.parse_args(argv).config
    try:
        config = json.loads(path.read_text())
        data_dir, tokens_file = Path(config["data_dir"]), Path(config["tokens_file"])
    except (OSError, ValueError, KeyError) as error:
        print(f"board: configuration {path}: {error!r}", file=sys.stderr)
        return 2
    log = open_log(data_dir, config.get("database_url"))
    service = Service(log, int(config.get("claim_ttl_s", 3600)), lambda: time.time_ns() // 1_000_000)
    listener = bind(config)
    app = build(service, Tokens(tokens_file))
    settings = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=2)
    server = _Server(settings)
    server.service = service
    announce(config, listener)
    try:
        server.run(sockets=[listener])
    finally:
        log.close()
    return 0


class _Server(uvicorn.Server):
    """uvicorn that lets waiting readers go when it is told to stop, so that it stops at once."""

    service: Service

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal ends the serving and is not raised again: the exit code is 0."""
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        self.service.close()
        super().handle_exit(sig, frame)


def bind(config: dict[str, Any]) -> socket.socket:
    """A listening socket: on the port an earlier life announced, if it is free, so that clients find it again."""
    host, ports = config.get("host", "127.0.0.1"), [int(config.get("port", 0))]
    try:
        earlier = json.loads(Path(config["ready_file"]).read_text())["url"]
        ports.insert(0, int(earlier.rsplit(":", 1)[1]))
    except (KeyError, OSError, ValueError, IndexError):
        pass
    for port in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            listener.close()
            continue
        listener.listen(1024)
        return listener
    raise SystemExit(f"board: no port of {ports} on {host} is free")


def announce(config: dict[str, Any], listener: socket.socket) -> None:
    """Write the ready file in one step: a reader sees all of it or none."""
    host, port = listener.getsockname()[:2]
    ready = Path(config["ready_file"]) if "ready_file" in config else None
    if ready is not None:
        beside = ready.with_name(ready.name + f".{os.getpid()}")
        beside.write_text(json.dumps({"url": f"http://{host}:{port}", "pid": os.getpid()}))
        beside.replace(ready)
    print(f"board: http://{host}:{port}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
