"""The live socket of a run: what the hub says goes out; nothing that comes in is acted on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from importlib import import_module
from typing import Any

from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from runs.access import role_of
from runs.models import Run
from trajectories.live.hub import hub
from trajectories.live.subscription import EXTENSION, Queued, Subscription

CHECK_S = 60.0  # a session that ended or a person without a role loses its sockets within this
SIGNED_OUT, NOT_FOUND = 4401, 4404


class RunConsumer(AsyncWebsocketConsumer):
    """`ws/runs/<slug>/`: for people with a role, checked at the start and every minute."""

    subscription: Subscription | None = None
    tasks: tuple[asyncio.Task[None], ...] = ()

    async def connect(self) -> None:
        """Accept first: a browser is shown a close code only after that."""
        await self.accept()
        if not await self._may_look():
            await self.close(SIGNED_OUT)
            return
        run_id = await database_sync_to_async(_run_id)(self.scope["url_route"]["kwargs"]["slug"])
        if run_id is None:
            await self.close(NOT_FOUND)
            return
        self.subscription = await hub().join(run_id, self.scope.get("extensions", {}).get(EXTENSION))
        self.tasks = (asyncio.create_task(self._check()),)
        if isinstance(self.subscription, Queued):
            self.tasks += (asyncio.create_task(self._send_on(self.subscription)),)

    async def disconnect(self, code: int) -> None:
        """Let go of everything."""
        if self.subscription is not None:
            hub().leave(self.subscription)
            self.subscription = None
        mine = [task for task in self.tasks if task is not asyncio.current_task()]
        self.tasks = ()
        for task in mine:
            task.cancel()
        for task in mine:
            with suppress(asyncio.CancelledError, Exception):
                await task

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is asked over this socket."""

    async def _send_on(self, subscription: Queued) -> None:
        while True:
            await self.send(text_data=await subscription.next())

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_S)
            if not await self._may_look():
                await self.close(SIGNED_OUT)
                return

    async def _may_look(self) -> bool:
        session = self.scope.get("session")
        if session is None:
            return False
        # A fresh session object: the one in the scope remembers what it once read.
        fresh = import_module(settings.SESSION_ENGINE).SessionStore(session.session_key)
        person: Any = await get_user({**self.scope, "session": fresh}) if session.session_key else AnonymousUser()
        return await database_sync_to_async(role_of)(person) is not None


def _run_id(name: str) -> int | None:
    found: int | None = Run.objects.filter(slug=name).values_list("pk", flat=True).first()
    return found
