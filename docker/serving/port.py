"""The port of a service: bound once, announced in the ready file, and taken again by the next life, so that clients find it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

BACKLOG = 1024


def bind(config: dict[str, Any]) -> socket.socket:
    """A listening socket on `host` (loopback): the configured `port`, and no other; else the port of the last life, else any.

    Raises OSError where the configured port is taken.
    """
    host, fixed = config.get("host") or "127.0.0.1", int(config.get("port") or 0)
    wished = [fixed] if fixed else [port for port in (_last_port(config.get("ready_file")), 0) if port is not None]
    for port in wished:
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            listener.close()
            if port == wished[-1]:
                raise
            continue
        listener.listen(BACKLOG)
        return listener
    raise AssertionError("wished ends with a port that is bound or raises")


def url_of(config: dict[str, Any], listener: socket.socket) -> str:
    """The address others reach this service by: `public_url` of the configuration, else the bound one."""
    host, port = listener.getsockname()[:2]
    return str(config.get("public_url") or f"http://{f'[{host}]' if ':' in host else host}:{port}")


def announce(ready_file: str | None, url: str) -> None:
    """Write `{"url", "pid"}` to the ready file in one step: a reader sees all of it or none."""
    if not ready_file:
        return
    target = Path(ready_file)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.write_text(json.dumps({"url": url, "pid": os.getpid()}), "utf-8")
    draft.replace(target)


def _last_port(ready_file: str | None) -> int | None:
    """The port that an earlier life announced; None if there was none."""
    try:
        url = str(json.loads(Path(ready_file or "").read_text("utf-8"))["url"])
        return int(url.rsplit(":", 1)[1].split("/")[0])
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None
