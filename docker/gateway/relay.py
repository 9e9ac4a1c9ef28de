"""One request from a worker to the model and back: tries, then bytes passed on as they come, read for usage on the way."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from gateway import wire
from gateway.answers import Answer, problem
from gateway.asked import Asked, other_name, refused_field
from gateway.filtering import UsageFilter
from gateway.scrub import Scrubber, scrubbed
from gateway.upstream import NoEndpoint, Upstream
from gateway.usage import Meter

# Statuses of tries that had no answer. Only an unreached model is asked again: one that hangs may have worked.
UNREACHED, HANG, CUT_SHORT = 0, -1, -2
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529, UNREACHED})
FIRST_PAUSE_S = 0.5
ERROR_CAP = 65_536
MOST_STRIPS = 8
PASSED_DOWN = ("content-type", "retry-after", "request-id", "x-request-id", "openai-processing-ms", "openai-version")

Response = httpx.Response | wire.Response
Start = Callable[[int, Mapping[str, str]], Awaitable[None]]
Send = Callable[[bytes], Awaitable[None]]


class Broken(Exception):
    """The stream broke after its head had gone out: the worker's connection must break too."""


@dataclass(slots=True)
class Ended:
    """How a request ended, for the ledger. `status` is what it ended with, whatever the head of a stream had said."""

    status: int = 0
    error: str | None = None
    tries: list[dict[str, Any]] = field(default_factory=list)
    first_ms: int | None = None
    meter: Meter | None = None


class Cooling:
    """A pause that the model asked for holds for all workers: 1,024 of them must not ask at once again."""

    def __init__(self) -> None:
        self._until = 0.0

    def ask(self, seconds: float) -> None:
        self._until = max(self._until, time.monotonic() + seconds)

    async def wait(self) -> None:
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left * random.uniform(1.0, 1.2))  # noqa: S311


class Relay:
    """Carries requests to one model. `learned` = fields it has refused so far, left out from then on; `renamed` = said by another name."""

    def __init__(self, upstream: Upstream, tries: int, longest_pause_s: float, strip: tuple[str, ...]) -> None:
        self.upstream, self.tries, self.longest_pause_s = upstream, tries, longest_pause_s
        self.strip, self.learned, self.renamed = strip, dict[str, set[str]](), dict[str, dict[str, str]]()
        self.cooling = Cooling()

    async def carry(
        self, asked: Asked, query: str, headers: Mapping[str, str], ended: Ended, start: Start, send: Send
    ) -> None:
        """Do it; `ended` is filled in as it goes, so it holds whatever happened even if this is cancelled. Raises Broken."""
        key = self.upstream.key()
        asked.strip(self.strip)
        asked.strip(self.learned.get(asked.model, ()))
        for old, new in self.renamed.get(asked.model, {}).items():
            asked.rename(old, new)
        began = time.monotonic()
        answer = await self._try(asked, query, headers, ended, key)
        if isinstance(answer, Answer):
            ended.status = answer.status
            await start(answer.status, answer.headers)
            await send(answer.body)
            return
        response, first, rest = answer
        ended.first_ms = round((time.monotonic() - began) * 1000)
        ended.status = 499  # until all has passed: a worker that goes away ends it here
        streamed = "event-stream" in response.headers.get("content-type", "")
        ended.meter = Meter(asked.api, streamed)
        try:
            await start(200, _down(response, key))
            await self._pass(
                first, rest, ended, send, Scrubber(key), UsageFilter() if streamed and asked.hides_usage else None
            )
            ended.status = 200
        except httpx.HTTPError as fault:
            ended.status = 504 if isinstance(fault, httpx.TimeoutException) else 502
            ended.error = f"the stream broke: {type(fault).__name__}"
            raise Broken(ended.error) from None
        finally:
            await response.aclose()

    async def _pass(
        self,
        piece: bytes,
        rest: AsyncIterator[bytes],
        ended: Ended,
        send: Send,
        scrub: Scrubber,
        hide: UsageFilter | None,
    ) -> None:
        assert ended.meter is not None
        while piece:
            ended.meter.feed(piece)
            if out := scrub.feed(hide.feed(piece) if hide else piece):
                await send(out)
            piece = await anext(rest, b"")
        if out := scrub.feed(hide.finish() if hide else b"") + scrub.finish():
            await send(out)

    async def _try(
        self, asked: Asked, query: str, headers: Mapping[str, str], ended: Ended, key: str
    ) -> Answer | tuple[Response, bytes, AsyncIterator[bytes]]:
        """A success with its first bytes, or the answer that says why there is none after all tries."""
        pause, strips, left = FIRST_PAUSE_S, 0, self.tries
        while True:
            left -= 1
            await self.cooling.wait()
            found = await self._once(asked, query, headers, ended, key)
            if isinstance(found, tuple):
                return found
            status = ended.tries[-1]["status"]
            if status in (400, 422) and strips < MOST_STRIPS and self._learn(asked, found.body):
                strips, left = strips + 1, left + 1
                continue
            after = _retry_after(found)
            if left <= 0 or status not in AGAIN or after > self.longest_pause_s:
                said = found.body[:200].decode("utf-8", "replace")
                ended.error = f"{status} after {len(ended.tries)} tr{'y' if len(ended.tries) == 1 else 'ies'}: {said}"
                return found
            if status == 429 and after:
                self.cooling.ask(after)
            await asyncio.sleep(max(after, pause * random.uniform(0.8, 1.2)))  # noqa: S311
            pause = min(pause * 2, self.longest_pause_s)

    async def _once(
        self, asked: Asked, query: str, headers: Mapping[str, str], ended: Ended, key: str
    ) -> Answer | tuple[Response, bytes, AsyncIterator[bytes]]:
        began, response, status, kept = time.monotonic(), None, CUT_SHORT, False
        try:
            response = await self.upstream.send(asked.api, query, headers, asked.body(), key)
            rest = response.aiter_raw()
            if response.status_code == 200:
                first = await anext(rest, b"")
                status, kept = 200, True
                return response, first, rest
            told = await _read(rest)
            status = response.status_code
            return _refusal(response, told, key)
        except httpx.ReadTimeout:
            status = HANG
            return problem(504, "the model said nothing for too long")
        except (httpx.HTTPError, NoEndpoint) as fault:
            status = UNREACHED
            why = scrubbed(str(fault) or type(fault).__name__, key)[:200]
            return problem(502, f"the model cannot be reached: {why}")
        finally:
            ended.tries.append({"status": status, "took_ms": round((time.monotonic() - began) * 1000)})
            if response is not None and not kept:
                await response.aclose()

    def _learn(self, asked: Asked, told: bytes) -> bool:
        """An endpoint that names an optional field as the fault is asked again without it, from now on."""
        name = refused_field(asked, told)
        if name is None:
            return False
        if other := other_name(name, told):
            self.renamed.setdefault(asked.model, {})[name] = other
            asked.rename(name, other)
            return True
        asked.strip([name])
        self.learned.setdefault(asked.model, set()).add(name)
        return name in asked.stripped


async def _read(rest: AsyncIterator[bytes]) -> bytes:
    told = b""
    async for piece in rest:
        told += piece
        if len(told) > ERROR_CAP:
            break
    return told[:ERROR_CAP]


def _refusal(response: Response, told: bytes, key: str) -> Answer:
    """An error of the model as the worker may see it. A refused key is the gateway's affair, and its text may quote the key."""
    status = response.status_code
    if status in (401, 403):
        return problem(502, f"the model's endpoint refused the gateway's key ({status})", "upstream_refused_key")
    if status < 400:
        return problem(502, f"the model's endpoint answered {status}")
    return Answer(status, told.replace(key.encode(), b"[key]") if key else told, _down(response, key))


def _down(response: Response, key: str) -> dict[str, str]:
    named = {name: value for name, value in response.headers.items() if name in PASSED_DOWN or "ratelimit" in name}
    return {name: scrubbed(value, key) for name, value in named.items()}


def _retry_after(answer: Answer) -> float:
    try:
        return max(0.0, float(answer.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
