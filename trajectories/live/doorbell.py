"""The doorbell: `{run, c}` and nothing else, from any thread or process. A lost ring costs a second, never data."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings

logger = logging.getLogger(__name__)
CHANNEL = "agensh:doorbell"
_lock = threading.Lock()
_listeners: dict[int, tuple[asyncio.AbstractEventLoop, Callable[[int], None]]] = {}


def ring(run_id: int, c: int = 0) -> None:
    """Say that something of this run is new. Never waits, never fails."""
    with _lock:
        listeners = list(_listeners.items())
    for key, (loop, hear) in listeners:
        try:
            # The one call that is safe from a thread: group_send through async_to_sync would not wake this loop.
            loop.call_soon_threadsafe(hear, run_id)
        except RuntimeError:  # that loop has ended
            forget(key)
    if settings.REDIS_URL:
        try:
            _redis().publish(CHANNEL, json.dumps({"run": run_id, "c": c}))
        except OSError as problem:
            logger.warning("doorbell: %s", problem)
        except Exception as problem:  # redis errors share no base with OSError
            logger.warning("doorbell: %s", type(problem).__name__)


def listen(hear: Callable[[int], None]) -> int:
    """Let `hear(run_id)` be called in the running loop; returns the key for `forget`."""
    loop = asyncio.get_running_loop()
    with _lock:
        key = max(_listeners, default=0) + 1
        _listeners[key] = (loop, hear)
    return key


def forget(key: int) -> None:
    """Stop listening."""
    with _lock:
        _listeners.pop(key, None)


async def follow_redis(hear: Callable[[int], None]) -> None:
    """Hear what other processes ring, until cancelled; comes back by itself when Redis does."""
    import redis.asyncio

    while True:
        try:
            client = redis.asyncio.from_url(settings.REDIS_URL, socket_timeout=None)
            async with client, client.pubsub() as subscription:
                await subscription.subscribe(CHANNEL)
                async for message in subscription.listen():
                    if message["type"] == "message":
                        hear(int(json.loads(message["data"])["run"]))
        except (OSError, redis.exceptions.RedisError, ValueError, KeyError) as problem:
            logger.warning("doorbell: %s; again in a second", type(problem).__name__)
            await asyncio.sleep(1)


@cache
def _redis() -> Any:
    import redis

    return redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
