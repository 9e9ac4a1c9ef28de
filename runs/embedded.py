"""The embedded app: web, Celery and beat in one process. One per data folder; local runs outlive it and are adopted by the next."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import uvicorn
from celery import beat, current_app
from django.db import connection

from runs import driving
from runs.models import Action, Run

THREADS = 16  # a listener and a driver for each live run, a scorer, and room for bundles
CANCEL_S = 25
log = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """uvicorn that leaves local runs alone on SIGTERM, and ends them first on Ctrl-C."""

    stopped_by = 0
    announce: Callable[[], None] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        first, self.stopped_by = not self.stopped_by, sig
        if sig == signal.SIGINT and first:
            # It must go on serving meanwhile: workers still ship and the listener still reads.
            threading.Thread(target=self._end_runs, daemon=True).start()
        else:
            self.force_exit = not first
            self.should_exit = True

    def _end_runs(self) -> None:
        try:
            end_runs()
        finally:
            self.should_exit = True


def end_runs() -> None:
    """Cancel every run under way and wait until it is over and salvaged, for a while."""
    active = Run.objects.filter(status__in=driving.ACTIVE)
    for run in active:
        print(f"Ending run {run.slug} ...", flush=True)
        Action.take(run, Action.What.CANCEL, person=None, person_name="Ctrl-C on the app")
    end = time.monotonic() + CANCEL_S
    while active.all().exists() and time.monotonic() < end:
        time.sleep(0.2)
    connection.close()


def listening_socket(port: int) -> socket.socket:
    """Bound to 127.0.0.1. Raises OSError if the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(False)
    return listener


def start_celery() -> None:
    """Worker (threads) and beat, as daemon threads of this process."""
    app = current_app._get_current_object()
    logging.getLogger("kombu").setLevel(logging.ERROR)  # it finds a broker without a host name strange
    app.conf.broker_transport_options = {"polling_interval": 0.05}
    worker = app.WorkController(
        pool_cls="threads", concurrency=THREADS, loglevel=logging.WARNING, without_gossip=True, without_mingle=True
    )
    threading.Thread(target=worker.start, name="celery", daemon=True).start()
    clock = beat.EmbeddedService(app, max_interval=1, thread=True, scheduler_cls="celery.beat:Scheduler")
    clock.daemon = True
    clock.start()


def serve(listener: socket.socket, announce: Callable[[], None]) -> NoReturn:
    """Serve until stopped; `announce` is called once it answers. The process ends here: threads of Celery are not waited for.

    What they were at is in the database, under leases that the next app takes over.
    """
    config = uvicorn.Config(
        "agensh_web.asgi:application",
        lifespan="off",
        log_level="warning",
        access_log=False,
        http="agensh_web.shelf_http:ShelfHttp",
        ws="agensh_web.sockets:FrameSockets",
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
    )
    server = Server(config)
    server.announce = announce  # type: ignore[method-assign]
    server.run(sockets=[listener])
    if server.stopped_by == signal.SIGTERM:
        left = Run.objects.filter(status__in=driving.ACTIVE).count()
        if left:
            print(f"{left} run(s) go on without the app; the next manage.py up takes them over.", flush=True)
    code = 0 if server.started else 1
    logging.shutdown()
    os._exit(code)
