"""The harness's processes and sessions, one after the other: started, taken up again where the harness can, given up where they cannot go on."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from enum import Enum

from worker.agent import Harness, HarnessDied
from worker.config import Config
from worker.inbox import Inbox
from worker.processes import reap_adopted
from worker.tap import Tap

RESTARTS, RESTARTS_WITHIN_S = 3, 600.0


class Start(Enum):
    """What a call of `ready` found or made."""

    SAME = "same"
    NEW = "new"
    RESUMED = "resumed"
    LOST = "lost"


class Sessions:
    """`make` gives a fresh harness; `pause(seconds)` waits, shorter if the loop is over. The session's id outlives this process:
    the next life takes the session up where its harness can."""

    def __init__(
        self,
        config: Config,
        tap: Tap,
        inbox: Inbox,
        make: Callable[[], Harness],
        pause: Callable[[float], Awaitable[None]],
        over: Callable[[], bool],
    ) -> None:
        self._config, self._tap, self._inbox, self._make, self._pause, self._over = (
            config,
            tap,
            inbox,
            make,
            pause,
            over,
        )
        self._starts: list[float] = []
        self.harness: Harness | None = None
        self.id = ""
        self.opened: Callable[[str], None] = lambda harness: None

    async def ready(self, mcp_url: str) -> Start:
        """A harness that runs, with a session. LOST when it keeps dying; SAME also when the loop is over."""
        while not self._over():
            if self.id and self.harness is not None and self.harness.alive:
                return Start.SAME
            try:
                if (self.harness is None or not self.harness.alive) and not await self._start():
                    return Start.LOST
                return await self._open(mcp_url)
            except HarnessDied as error:
                self._tap.loop("harness.failed", error=str(error)[:500])
                self.id = ""
                if self.harness is not None:
                    await self.harness.end(0.5)
        return Start.SAME

    def give_up(self) -> None:
        """This session cannot go on: the next `ready` opens another in the same process."""
        self.id = ""
        self._inbox.remember("session", None)

    async def end(self, grace: float) -> None:
        """End the harness."""
        if self.harness is not None:
            await self.harness.end(grace)

    def bury(self) -> None:
        """Take the exit status of orphans that the harness left to us."""
        if self.harness is not None and self.harness.pid is not None:
            reap_adopted(self.harness.pid)

    async def _start(self) -> bool:
        """A fresh process; False when it was started too often."""
        if self.harness is not None:
            await self.harness.end(0.5)
        self.id = ""
        now = time.monotonic()
        self._starts = [at for at in self._starts if now - at < RESTARTS_WITHIN_S] + [now]
        again = len(self._starts) - 1
        if again > RESTARTS:
            return False
        await self._pause(0 if not again else 2.0 ** (again - 1) / 2)
        self.harness = self._make()
        await self.harness.start()
        return True

    async def _open(self, mcp_url: str) -> Start:
        """Take up the session that is remembered, else open a new one."""
        assert self.harness is not None
        self._tap.session += 1
        known = self._inbox.recall("session", None)
        resumed = False
        if known is not None:
            self._inbox.remember("session", None)  # one that kills its harness is not tried twice
            resumed = await self.harness.resume(known, mcp_url)
        self.id = known if resumed else await self.harness.open(mcp_url)
        self._inbox.remember("session", self.id)
        version = f"{self._config.harness}/{self.harness.info.rpartition('/')[2]}"
        self.opened(version)
        self._tap.loop(
            "session.opened",
            life=self._config.life,
            session=self._tap.session,
            session_id=self.id,
            harness=version,
            resumed=resumed,
        )
        return Start.RESUMED if resumed else Start.NEW
