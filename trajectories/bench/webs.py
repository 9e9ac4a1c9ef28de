"""A web process of its own on the present database: what its memory and its processor time are, nobody else shares."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from django.core.management import call_command

from runs.models import SignInLink
from trajectories.bench.entering import by_client

ROOT = Path(__file__).resolve().parents[2]
START = """
import django; django.setup()
{first}
import uvicorn
uvicorn.run(
    "agensh_web.asgi:application", port={port}, lifespan="off", log_level="error", access_log=False,
    http="agensh_web.shelf_http:ShelfHttp", ws="agensh_web.sockets:FrameSockets", ws_per_message_deflate=False,
)
"""


@dataclass(frozen=True)
class Served:
    """Where it answers and which process it is."""

    url: str
    pid: int

    def signed_in(self, person: Any) -> httpx.Client:
        """A client with that person's session."""
        client = httpx.Client(base_url=self.url, timeout=120, follow_redirects=True)
        by_client(client, f"/sign-in/link/{SignInLink.mint(person)}")
        return client


@contextmanager
def web_process(first: str = "") -> Iterator[Served]:
    """uvicorn with the app, after the statements `first`; ended afterwards."""
    call_command("collectstatic", verbosity=0, interactive=False)  # pages name their files by hash
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "agensh_web.settings"}
    command = [sys.executable, "-c", START.format(first=first, port=port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        _await(f"http://127.0.0.1:{port}")
        yield Served(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        process.wait(20)


def _await(url: str) -> None:
    for _ in range(900):
        try:
            httpx.get(f"{url}/health/live")
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")
