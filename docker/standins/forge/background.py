"""Work that a forge does after it has answered: one thread for each kind, rung when there may be something to do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

LOG = logging.getLogger("standins.forge.background")


class Background:
    """Calls `work(stopped)` on a thread of its own: at the start, and `pause_s` after each ring; several rings are one call."""

    def __init__(self, name: str, work: Callable[[Callable[[], bool]], None], pause_s: float = 0.0) -> None:
        self._work, self._pause_s = work, pause_s
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.ring()

    def ring(self) -> None:
        self._wake.set()

    def stop(self) -> None:
        self._stopped = True
        self.ring()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while not self._stopped:
            self._wake.wait()
            time.sleep(self._pause_s)
            self._wake.clear()
            try:
                self._work(lambda: self._stopped)
            except Exception:
                LOG.exception("%s failed", self._thread.name)
