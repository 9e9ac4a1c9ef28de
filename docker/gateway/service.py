"""The gateway as one object: who may ask, how many at once, within which budget, and the row that each request leaves."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any

from gateway.answers import Answer, ok, problem
from gateway.asked import Asked
from gateway.budget import Budget
from gateway.ledger import Ledger, iso, now_ms
from gateway.prices import cost_microusd, price_at
from gateway.relay import Broken, Ended, Relay, Send, Start
from gateway.settings import Settings
from gateway.upstream import Upstream
from gateway.usage import Usage
from serving.tokens import Tokens


class Service:
    """One run's gateway."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self.settings, self.ledger = settings, ledger
        self.tokens = Tokens(settings.tokens_file)
        self.budget = Budget(settings.budget_microusd, settings.budget_tokens)
        self.upstream = Upstream(settings)
        self.relay = Relay(self.upstream, settings.tries, settings.longest_pause_s, settings.strip)
        self.under_way = self.waiting = 0
        self.trouble = ""  # the last request's error, "" once one went well
        self._slots = asyncio.Semaphore(settings.most_at_once) if settings.most_at_once else None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def carry(
        self, worker: int, asked: Asked, query: str, headers: Mapping[str, str], request: str, start: Start, send: Send
    ) -> None:
        """A model request: metered from beginning to end, whatever happens to it. Raises Broken."""
        row = {
            "worker": worker,
            "purpose": asked.purpose,
            "model": asked.model,
            "api": asked.api,
            "streamed": asked.streamed,
        }
        if (turn := headers.get("x-agensh-turn", "")).isdecimal() and len(turn) < 10:
            row["turn"] = int(turn)
        ended, began, waited_ms = Ended(499, "the worker went away"), time.monotonic(), 0
        self.ledger.begin(request, row)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if self.is_spent:
                ended.status, ended.error = 402, "over budget"
                refusal = self._spent()
                await start(refusal.status, {})
                await send(refusal.body)
                return
            async with self._slot():
                waited_ms = round((time.monotonic() - began) * 1000)
                ended.error = None
                ended.status = 499
                await self.relay.carry(asked, query, headers, ended, start, send)
        except asyncio.CancelledError:
            ended.error = "the gateway was stopped" if self._closing else ended.error or "the worker went away"
            ended.status = 503 if self._closing else ended.status
            raise
        except Broken:
            raise
        except Exception as fault:
            ended.status, ended.error = 500, f"internal error: {type(fault).__name__}"
            raise
        finally:
            self._tasks.discard(task)
            self._end(request, row, asked, ended, began, waited_ms)

    async def count(
        self, worker: int, asked: Asked, query: str, headers: Mapping[str, str], request: str, start: Start, send: Send
    ) -> None:
        """A question how many tokens something has: carried like the others, and free, so it leaves no row. Raises Broken."""
        await self.relay.carry(asked, query, headers, Ended(), start, send)

    def _end(self, request: str, row: dict[str, Any], asked: Asked, ended: Ended, began: float, waited_ms: int) -> None:
        usage = ended.meter.finish() if ended.meter else Usage()
        error = ended.error or (ended.meter.failed if ended.meter else "") or None
        if ended.meter is None and all(each["status"] > 0 for each in ended.tries) and ended.status != 499:
            usage = Usage(0, 0, 0, 0, 0)  # every try was answered with a refusal: nothing was spent
        price = price_at(self.settings.prices, asked.model, now_ms())
        self.trouble = (
            error if error and ended.status not in (402, 499) else "" if ended.status == 200 else self.trouble
        )
        self.ledger.end(
            request,
            {
                **row,
                **dataclasses.asdict(usage),
                "cost_microusd": 0 if usage.input_tokens == usage.output_tokens == 0 else cost_microusd(price, usage),
                "status": ended.status,
                "took_ms": round((time.monotonic() - began) * 1000),
                "first_ms": ended.first_ms,
                "waited_ms": waited_ms,
                "tries": ended.tries,
                "stripped": sorted(asked.stripped),
                "error": error,
            },
        )

    @contextlib.asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """One of the places in front of the model, in order of arrival."""
        if self._slots is not None:
            self.waiting += 1
            try:
                await self._slots.acquire()
            finally:
                self.waiting -= 1
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            if self._slots is not None:
                self._slots.release()

    @property
    def is_spent(self) -> bool:
        """True once no further request is carried."""
        return self.budget.state(self.ledger.microusd, self.ledger.tokens) == "spent"

    def _spent(self) -> Answer:
        limit = self.budget.words()
        return problem(
            402, f"The run's budget of {limit} is spent: no further model request is carried and the run ends now."
        )

    def status(self) -> Answer:
        """What the monitor asks."""
        spent = (self.ledger.microusd, self.ledger.tokens)
        return ok(
            {
                "requests": self.ledger.last,
                "under_way": self.under_way,
                "waiting": self.waiting,
                "spent_microusd": spent[0],
                "spent_tokens": spent[1],
                "budget": self.budget.state(*spent),
                "share_ppm": self.budget.share_ppm(*spent),
                "limit": self.budget.words(),
                "learned": {model: sorted(names) for model, names in self.relay.learned.items()},
                "trouble": self.trouble,
            }
        )

    def page(self, after: int, limit: int) -> Answer:
        """A page of the ledger. `sent_at` is this clock at sending, for skew."""
        return ok({"sent_at": iso(now_ms()), "rows": self.ledger.after(after, limit), "last": self.ledger.last})

    def models(self) -> Answer:
        """The one model of this run, in both APIs' shape."""
        row = {"id": self.settings.model, "object": "model", "type": "model", "display_name": self.settings.model}
        return ok({"object": "list", "data": [{**row, "owned_by": "gateway"}], "has_more": False})

    def close(self) -> None:
        """The service is about to stop: end what is under way, each with its row."""
        self._closing = True
        for task in list(self._tasks):
            task.cancel()


def new_id() -> str:
    """The id of a request."""
    return f"req_{uuid.uuid4().hex}"
