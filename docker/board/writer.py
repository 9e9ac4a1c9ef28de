"""Group commit: while one batch of entries is on its way to the disk, the next gathers. Who answers waits until what it saw is durable."""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from board.log import Log


class Writer:
    """The one way into the log; `put` at once, `settled` before anybody is told. The log's connection is used in one thread alone."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="log")
        self._gathering: list[dict[str, Any]] = []
        self._gate: asyncio.Future[None] | None = None  # opens once what gathers now is durable
        self._flying: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.last = log.last

    def put(self, entry: dict[str, Any]) -> None:
        """Append an entry; `entry["seq"]` is `last + 1`."""
        self.last = entry["seq"]
        self._gathering.append(entry)
        if self._gate is None:
            self._gate = asyncio.get_running_loop().create_future()
        if self._task is None:
            self._task = asyncio.create_task(self._commit())

    async def settled(self) -> None:
        """Return once everything that was put so far is durable."""
        gate = self._gate or self._flying
        if gate is not None:
            await asyncio.shield(gate)

    async def after(self, seq: int, limit: int) -> list[dict[str, Any]]:
        """Durable entries above `seq`, in order."""
        await self.settled()
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._log.after, seq, limit)

    def close(self) -> None:
        """Wait for the batch under way and let the log go."""
        self._thread.shutdown()
        self._log.close()

    async def _commit(self) -> None:
        loop = asyncio.get_running_loop()
        while self._gate is not None:
            batch, self._flying = self._gathering, self._gate
            self._gathering, self._gate = [], None
            try:
                await loop.run_in_executor(self._thread, self._log.append, batch)
            except Exception as error:
                # Its memory is ahead of its log now. The next life reads the log and knows what is true; nobody was told otherwise.
                print(f"board: the log cannot be written: {error!r}", file=sys.stderr, flush=True)
                os._exit(1)
            self._flying.set_result(None)
            self._flying = None
        self._task = None
