"""Serving until SIGTERM: the ready file appears once the service answers, and the exit code of a stop is 0."""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import uvicorn

from serving.port import announce, url_of

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(
    app: Any,
    config: dict[str, Any],
    listener: socket.socket,
    stopping: Callable[[], None] = lambda: None,
    **options: Any,
) -> None:
    """Serve an ASGI app on a bound socket until a signal. `stopping` is called as it comes, to let waiting callers go.

    Open requests have a second to end. `options` go to uvicorn.
    """
    settings: dict[str, Any] = {
        "log_level": "warning",
        "access_log": False,
        "timeout_graceful_shutdown": 1,
        "timeout_keep_alive": 75,
        "server_header": False,
        **options,
    }
    raise_file_limit()
    for number in SIGNALS:  # before the server has its own handler, and after it has gone
        signal.signal(number, lambda *_: sys.exit(0))
    server = _Server(uvicorn.Config(app, **settings))
    url = url_of(config, listener)

    def announced() -> None:
        announce(config.get("ready_file"), url)
        say(f"answers at {url}")

    server.announced = announced
    server.stopping = stopping
    server.run(sockets=[listener])


def say(text: str) -> None:
    """A line for whoever looks at a service's last words: one that was killed has said at least when it came."""
    print(datetime.now(UTC).isoformat(timespec="seconds"), text, file=sys.stderr, flush=True)


def raise_file_limit() -> None:
    """As many open files as this process may have: a thousand workers that wait are a thousand sockets."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class _Server(uvicorn.Server):
    announced: Callable[[], None]
    stopping: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.announced()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal ends the serving and is not raised again: what comes behind `serve` still runs, and the exit code is 0."""
        earlier = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        say(f"ends: {signal.Signals(sig).name}")
        self.stopping()
        super().handle_exit(sig, frame)
