"""The tap: everything the agent and the loop say, stamped with session and turn, into the spool. Putting it on disk is batched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from worker.moves import Move
from worker.spool import Spool

EVERY = 0.2


class Tap:
    """Where observers, the loop and the reader of noise put what they see. Order of calls is order of items."""

    def __init__(self, spool: Spool, ring: Callable[[], None] = lambda: None) -> None:
        self._spool, self.ring = spool, ring
        self.session = 0
        self.turn = 0

    def acp(self, dir: str, message: Any) -> None:
        """An ACP message: `to_agent` or `from_agent`."""
        self._put(dir, message)

    def noise(self, line: str) -> None:
        """A line of the agent's that is no message."""
        self._put("noise", line)

    def loop(self, kind: str, **fields: Any) -> None:
        """An event of the turn loop's own."""
        self._put("loop", {"kind": kind, **fields})

    def moved(self, move: Move) -> None:
        """A move of inbox items, at the time it was made."""
        self._put("loop", {"kind": "inbox.moved", **move.fields()}, move.at)

    def replayed(self, message: Any) -> None:
        """What an agent says again while it loads an old session: kept, and told apart from what it says for the first time."""
        self.loop("session.replayed", message=message)

    def _put(self, dir: str, message: Any, at: str | None = None) -> None:
        self._spool.append(dir, message, self.session, self.turn, at)
        self.ring()

    def flush(self) -> None:
        """Everything said so far is on disk after this."""
        self._spool.flush()

    async def keep(self) -> None:
        """Put the spool on disk every 200 ms, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            with suppress(OSError):  # a full disk: tried again, nothing is dropped
                self._spool.flush()
