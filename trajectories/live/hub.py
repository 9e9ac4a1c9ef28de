"""One hub per event loop: reads the new changes of a run once, serialises them once, hands them to every socket of the run."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from weakref import WeakKeyDictionary

from django.conf import settings

from trajectories.live import doorbell
from trajectories.live.news import News, newest, read_news
from trajectories.live.reading import Reading
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
        self.reading = Reading()
        self.task: asyncio.Task[None] | None = None

    async def join(self, run_id: int, wire: Wire | None = None) -> Subscription:
        """Begin to serve a socket. Its first message says where the log is now."""
        now = (await self.reading.ask(newest, [run_id])).get(run_id, News())
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
            self.reading.end()

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
        told = {run_id: self.told[run_id] for run_id in self.sockets}
        for run_id, (now, message) in (await self.reading.ask(_look, told)).items():
            # Somebody may have joined or left meanwhile; a batch that begins earlier than what a socket was told is dropped by its page.
            if self.told.get(run_id) == told[run_id]:
                self.told[run_id] = now
            for subscription in self.sockets.get(run_id, ()):
                subscription.give(message)


def _look(told: dict[int, News]) -> dict[int, tuple[News, Message]]:
    """What is new of each run since it was told of, in one visit to the database."""
    found = {}
    for run_id, now in newest(told).items():
        before = told[run_id]
        if now != before:
            found[run_id] = now, Message.of(read_news(run_id, before, now), now.pointer())
    return found


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
