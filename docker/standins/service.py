"""How a stand-in runs: configuration file in, a bound port, a ready file out, a quick and clean stop on SIGTERM."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn


def read_config(argv: list[str] | None = None) -> dict[str, Any]:
    """The JSON file named by `--config`, with paths made absolute against its own folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True, type=Path)
    path: Path = parser.parse_args(argv).config.resolve()
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for key in ("data_dir", "ready_file"):
        if config.get(key):
            config[key] = str((path.parent / config[key]).resolve())
    Path(config["data_dir"]).mkdir(parents=True, exist_ok=True)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return config


def secret_of(config: dict[str, Any]) -> tuple[str, str]:
    """Name and password of the administrator the configuration asks for."""
    admin = config["admin"]
    return admin["username"], Path(admin["password_file"]).read_text("utf-8").strip()


def bind(config: dict[str, Any]) -> socket.socket:
    """A listening socket: the configured port, else the one of the last life, else any free one."""
    host = config.get("host", "127.0.0.1")
    wished = [int(config.get("port") or 0) or _last_port(config.get("ready_file")), 0]
    for port in wished:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            listener.close()
            if config.get("port"):
                raise
            continue
        listener.listen(512)
        return listener
    raise OSError(f"no port is free on {host}")


def url_of(config: dict[str, Any], listener: socket.socket) -> str:
    """The address others reach this service by: `public_url` of the configuration, else the bound one."""
    host, port = listener.getsockname()[:2]
    return config.get("public_url") or f"http://{host}:{port}"


def serve(app: Any, config: dict[str, Any], listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT. The ready file appears only once the service answers."""
    options = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=75,
        server_header=False,
    )
    # Uvicorn stops cleanly on a signal and then raises it again: that second one ends the process with success.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    _Announcing(options, config.get("ready_file"), url_of(config, listener)).run(sockets=[listener])


class _Announcing(uvicorn.Server):
    def __init__(self, options: uvicorn.Config, ready_file: str | None, url: str) -> None:
        super().__init__(options)
        self.ready_file, self.url = ready_file, url

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.ready_file:
            target = Path(self.ready_file)
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(f".{target.name}.{os.getpid()}")
            draft.write_text(json.dumps({"url": self.url, "pid": os.getpid()}), "utf-8")
            draft.replace(target)


def _last_port(ready_file: str | None) -> int:
    if not ready_file or not Path(ready_file).exists():
        return 0
    try:
        url = json.loads(Path(ready_file).read_text("utf-8"))["url"]
        return int(url.rsplit(":", 1)[1].split("/")[0])
    except (ValueError, KeyError, IndexError, TypeError):
        return 0
