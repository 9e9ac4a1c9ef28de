"""The turn loop of one worker: what comes becomes turns, until the deadline or until it is told to stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from worker import prompts
from worker.agent import Harness
from worker.announcements import Announcements
from worker.clock import Clock
from worker.config import Config
from worker.endings import Ending
from worker.inbox import ALL_FEEDS, Inbox, Item
from worker.records import Superseded
from worker.sessions import Sessions, Start
from worker.tap import Tap
from worker.tools import Tools

CANCEL_GRACE_S, CANCEL_GRACE_STOPPED_S = 5.0, 1.0
END_GRACE_S, END_GRACE_STOPPED_S = 2.5, 0.4
SLOWEST_RETRY_S = 60.0
SOONEST_ALONE_S = 15.0
LONGEST_SLEEP_S = 30.0
UNFINISHED = ("max_tokens", "max_turn_requests")


@dataclass
class Turn:
    """What to prompt next: why, the words, and the inbox items that go with it."""

    trigger: str
    text: str
    items: list[Item]


class Loop:
    """Runs turns one after the other. `make_harness` gives a fresh harness for each start."""

    def __init__(
        self,
        config: Config,
        tap: Tap,
        inbox: Inbox,
        tools: Tools,
        announcements: Announcements,
        clock: Clock,
        make_harness: Callable[[], Harness],
    ) -> None:
        self._config, self._tap, self._inbox, self._tools = config, tap, inbox, tools
        self._announcements, self._clock = announcements, clock
        self.sessions = Sessions(config, tap, inbox, make_harness, self._pause, lambda: self.over)
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._rests = self._unfinished = self._failures = 0
        inbox.arrived = self._wake.set

    def stop(self, why: str = "signal") -> None:
        """End the present turn and the loop."""
        if not self._stopping.is_set():
            self._tap.loop("stop.asked", why=why)
        self._stopping.set()
        self._wake.set()

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._stopping.is_set()

    @property
    def over(self) -> bool:
        """Whether there will be no more turns."""
        return self.stopped or self._clock.now() >= self._config.deadline_at

    async def run(self, mcp_url: str, prompt: str) -> int:
        """Run to the end: 0 = deadline or told to stop, 3 = the harness could not be kept alive."""
        await self._until(self._config.start_at)
        watch = asyncio.create_task(self._obey())
        began, turn = self._config.life > 1, None
        try:
            while not self.over:
                start = await self.sessions.ready(mcp_url)
                if start is Start.LOST:
                    return 3
                if start is not Start.SAME and not self.over:
                    self._inbox.give_back("failed")  # of a turn that was to run in the session before
                    words = prompts.opening(prompt, again=began, resumed=start is Start.RESUMED)
                    turn = Turn("recap", words, self._lease()) if began else Turn("first", words, [])
                    began = True
                if turn is not None and not self.over:
                    turn = await self._take(turn)
                elif not self.over:
                    turn = await self._next()
            return 0
        finally:
            watch.cancel()
            await self.sessions.end(END_GRACE_STOPPED_S if self.stopped else END_GRACE_S)

    async def _take(self, turn: Turn) -> Turn | None:
        """Run one turn; the turn to run instead of waiting for news, if any. A failed turn is tried again, ever more slowly, with
        whatever came meanwhile; one that broke its session or its harness is not: a recap follows."""
        while not self.over:
            ending = await self._once(turn)
            if ending.error is None:
                self._failures = 0
                return await self._go_on(ending)
            self._inbox.give_back("failed")
            if ending.died:
                await self.sessions.end(0.5)  # it may be gone without having been seen to go
                return None
            self._failures += 1
            await self._pause(min(SLOWEST_RETRY_S, 2.0 ** min(self._failures, 10) / 2))
            if ending.full:
                self.sessions.give_up()
                return None
            turn = replace(turn, items=self._lease())
        return None

    async def _go_on(self, ending: Ending) -> Turn | None:
        """A turn that ended for want of tokens or requests, or at a refused permission, goes on, ever more slowly if it does nothing else."""
        if ending.stop_reason not in UNFINISHED and not ending.refused:
            self._unfinished = 0
            return None
        self._unfinished += 1
        await self._pause(min(SLOWEST_RETRY_S, 2.0 ** min(self._unfinished - 1, 10) / 4))
        return Turn("recap", prompts.REFUSED if ending.refused else prompts.GO_ON, self._lease())

    def _lease(self) -> list[Item]:
        return [] if self.over else self._inbox.lease(ALL_FEEDS, "turn")

    async def _once(self, turn: Turn) -> Ending:
        harness = self.sessions.harness
        assert harness is not None
        self._tap.turn += 1
        self._tap.loop("turn.started", turn=self._tap.turn, trigger=turn.trigger)
        self._tools.in_turn = True
        await self._tools.show(turn.items, turn.trigger)
        text = prompts.stamped(turn.text, self._clock.now(), turn.items)
        ending = await self._finish(harness, asyncio.create_task(harness.prompt(self.sessions.id, text)))
        self._tools.in_turn = False
        if ending.error is None and not self.over:
            self._inbox.acknowledge()
        if harness.heard.steps:
            self._rests = 0
        self._tap.loop("turn.finished", turn=self._tap.turn, stop_reason=ending.stop_reason, error=ending.error)
        return ending

    async def _finish(self, harness: Harness, prompt: asyncio.Task[Ending]) -> Ending:
        """The turn's ending. At the deadline, at a stop, and when the model has been silent too long, it is cancelled and given a grace."""
        stop = asyncio.create_task(self._stopping.wait())
        try:
            while not prompt.done() and not self.over and harness.heard.silent_s < self._config.model_silence_s:
                left = min(
                    self._config.deadline_at - self._clock.now(), self._config.model_silence_s / 4, LONGEST_SLEEP_S
                )
                await asyncio.wait({prompt, stop}, timeout=max(0.0, left), return_when=asyncio.FIRST_COMPLETED)
            if prompt.done():
                return prompt.result()
            silent = not self.over
            await harness.cancel(self.sessions.id)
            await asyncio.wait({prompt}, timeout=CANCEL_GRACE_STOPPED_S if self.stopped else CANCEL_GRACE_S)
            heard = prompt.result() if prompt.done() else None
            if silent:
                error = f"the model said nothing for {self._config.model_silence_s:.0f} s"
                if heard is None:
                    await harness.end(1.0)
                return Ending(None, error, died=heard is None)
            return heard or Ending("cancelled")
        finally:
            stop.cancel()
            prompt.cancel()

    async def _next(self) -> Turn | None:
        """Wait until there is something to prompt for: news, a reminder, a nudge. None when the loop is over or the harness gone."""
        idle_since = time.monotonic()
        harness = self.sessions.harness
        while not self.over:
            self._wake.clear()
            said = self._announcements.take()
            if said is not None:
                return Turn("reminder", said, self._lease())
            if self._inbox.waiting():
                await self._pause(max(0.0, self._config.wake_gap_s - (time.monotonic() - idle_since)))
                return Turn("inbox", prompts.NEWS, self._lease())
            idle, limit = time.monotonic() - idle_since, self._idle_limit_s
            if self._announcements.nudged() or idle >= limit:
                self._rests += 1
                self._tap.loop("nudge.sent")
                return Turn("nudge", prompts.nudge(self._config.alone, self._left_s), [])
            if harness is None or not harness.alive:
                return None
            until = min(self._announcements.next_at, self._config.deadline_at) - self._clock.now()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(limit - idle, max(0.05, until), 1.0)):
                    await self._wake.wait()
        return None

    @property
    def _idle_limit_s(self) -> float:
        """How long to wait for news. Who works alone has nobody to wait for: it is asked to use its time, less often while it does
        nothing with it."""
        if not self._config.alone:
            return self._config.idle_limit_s
        return min(self._config.idle_limit_s, SOONEST_ALONE_S * 2.0 ** min(self._rests, 10))

    @property
    def _left_s(self) -> float:
        return self._config.deadline_at - self._clock.now()

    async def _obey(self) -> None:
        """Follow the operator's commands, yield to a newer life, and bury orphans of the harness."""
        while True:
            try:
                self._inbox.check()
                if self._announcements.look():
                    self.stop("command")
            except Superseded as error:
                self.stop(str(error))
            if self._announcements.waiting:
                self._wake.set()
            self.sessions.bury()
            await asyncio.sleep(0.5)

    async def _pause(self, seconds: float) -> None:
        """Sleep, unless told to stop or out of time."""
        await self._until(min(self._clock.now() + seconds, self._config.deadline_at))

    async def _until(self, at: float) -> None:
        """Until a moment of the run's clock, which may be put right meanwhile; or until told to stop."""
        while not self.stopped and (left := at - self._clock.now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, LONGEST_SLEEP_S)):
                    await self._stopping.wait()
