"""One hub per event loop: reads the new changes of a run once, serialises them once, hands them to every socket of the run."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.conf import settings

from trajectories.live import doorbell
from trajectories.live.news import News, newest, read_news
from trajectories.live.subscription import Message, Queued, Subscription, Wire, Wired

logger = logging.getLogger(__name__)
ASK_S = 1.0  # the database is asked this often even if no bell rang
REST_S = 0.1  # and at most this often


class Hub:
    """Serves all sockets of this event loop. Runs only while there are any."""

    def __init__(self) -> None:
        self.sockets: dict[int, set[Subscription]] = {}
        self.told: dict[int, News] = {}
        self.rung = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def join(self, run_id: int, wire: Wire | None = None) -> Subscription:
        """Begin to serve a socket. Its first message says where the log is now."""
        now = (await database_sync_to_async(newest)([run_id])).get(run_id, News())
        subscription: Subscription = Queued(run_id) if wire is None else Wired(run_id, wire)
        subscription.give(Message.of(now.pointer(), now.pointer()))
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
            message = Message.of(await database_sync_to_async(read_news)(run_id, before, now), now.pointer())
            self.told[run_id] = now
            for subscription in self.sockets.get(run_id, ()):
                subscription.give(message)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
