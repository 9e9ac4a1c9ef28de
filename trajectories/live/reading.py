"""The hub's own thread for the database: its connection stays open while anybody looks, because opening one costs more than a reading."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


class Reading:
    """Asks one thing after the other. A failing one closes the connection, so that the next begins afresh."""

    def __init__(self) -> None:
        self.thread: ThreadPoolExecutor | None = None

    async def ask(self, what: Callable[..., T], *about: object) -> T:
        """What the function answers in that thread."""
        if self.thread is None:
            self.thread = ThreadPoolExecutor(1, thread_name_prefix="hub")
        return await asyncio.get_running_loop().run_in_executor(self.thread, _asked, what, about)

    def end(self) -> None:
        """Nobody looks any more."""
        if self.thread is not None:
            self.thread.submit(connections.close_all)
            self.thread.shutdown(wait=False)
            self.thread = None


def _asked(what: Callable[..., T], about: tuple[object, ...]) -> T:
    try:
        return what(*about)
    except Exception:
        connections.close_all()
        raise
