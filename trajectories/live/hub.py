"""One hub per event loop: reads the new changes of a run once, serialises them once, hands them to every socket of the run."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.conf import settings

from trajectories.live import doorbell
from trajectories.live.news import News, newest, read_news

logger = logging.getLogger(__name__)
QUEUE = 32  # messages a socket may be behind
ASK_S = 1.0  # the database is asked this often even if no bell rang
REST_S = 0.1  # and at most this often


@dataclass(eq=False)
class Subscription:
    """One socket's view: a bounded queue. When it is full the socket is told where the log is and reads it over HTTP."""

    run_id: int
    queue: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    behind: str | None = None

    def give(self, message: str, pointer: str) -> None:
        """Hand over a message; one who is behind gets the newest pointer once it reads again."""
        if self.behind is not None or self.queue.full():
            self.behind = pointer
            return
        self.queue.put_nowait(message)

    async def next(self) -> str:
        """The next message to send."""
        if self.queue.empty() and self.behind is not None:
            pointer, self.behind = self.behind, None
            return pointer
        return await self.queue.get()


class Hub:
    """Serves all sockets of this event loop. Runs only while there are any."""

    def __init__(self) -> None:
        self.sockets: dict[int, set[Subscription]] = {}
        self.told: dict[int, News] = {}
        self.rung = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def join(self, run_id: int) -> Subscription:
        """Begin to serve a socket. Its first message says where the log is now."""
        subscription = Subscription(run_id)
        now = (await database_sync_to_async(newest)([run_id])).get(run_id, News())
        subscription.queue.put_nowait(now.pointer())
        self.sockets.setdefault(run_id, set()).add(subscription)
        # What others were told last stays the start of the next batch: a socket drops what it has and fetches what it lacks.
        self.told.setdefault(run_id, now)
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._serve(), name="hub")
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """Stop serving a socket."""
        mine = self.sockets.get(subscription.run_id, set())
        mine.discard(subscription)
        if not mine:
            self.sockets.pop(subscription.run_id, None)
            self.told.pop(subscription.run_id, None)
        if not self.sockets and self.task is not None:
            self.task.cancel()
            self.task = None

    async def _serve(self) -> None:
        key = doorbell.listen(lambda run_id: self.rung.set())
        far = asyncio.create_task(doorbell.follow_redis(lambda run_id: self.rung.set())) if settings.REDIS_URL else None
        try:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.rung.wait(), ASK_S)
                self.rung.clear()
                try:
                    await self._pass_on()
                except Exception:  # a database that is away for a moment must not end the hub
                    logger.exception("hub")
                await asyncio.sleep(REST_S)
        finally:
            doorbell.forget(key)
            if far is not None:
                far.cancel()

    async def _pass_on(self) -> None:
        found = await database_sync_to_async(newest)(list(self.sockets))
        for run_id, now in found.items():
            before = self.told.get(run_id)
            if before is None or now == before:
                continue
            message = await database_sync_to_async(read_news)(run_id, before, now)
            self.told[run_id] = now
            for subscription in self.sockets.get(run_id, ()):
                subscription.give(message, now.pointer())


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
