"""The turn loop of one worker: what comes becomes turns, until the deadline or until it is told to stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from worker import prompts
from worker.agent import Ending, Harness, HarnessDied
from worker.commands import Commands
from worker.config import Config
from worker.inbox import ALL_FEEDS, Inbox, Item
from worker.processes import reap_adopted
from worker.reminders import Reminders
from worker.tap import Tap
from worker.tools import Tools

CANCEL_GRACE_S = 5.0
RESTARTS, RESTARTS_WITHIN_S = 3, 600.0
SLOWEST_RETRY_S = 60.0
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
        commands: Commands,
        reminders: Reminders,
        make_harness: Callable[[], Harness],
    ) -> None:
        self._config, self._tap, self._inbox, self._tools = config, tap, inbox, tools
        self._commands, self._reminders, self._make_harness = commands, reminders, make_harness
        self._harness: Harness | None = None
        self._session = ""
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._nudged = False
        self._restarts: list[float] = []
        self.opened: Callable[[str], None] = lambda harness: None
        inbox.arrived = self._wake.set

    def stop(self) -> None:
        """End the present turn and the loop."""
        self._stopping.set()
        self._wake.set()

    def remind(self) -> int | None:
        """Minutes left, if a reminder is due: the tools ask this too, so that a long turn hears it."""
        seconds = self._reminders.take()
        if seconds is None:
            return None
        left = prompts.minutes(seconds)
        self._tap.loop("reminder.sent", minutes_left=left)
        return left

    @property
    def _over(self) -> bool:
        return self._stopping.is_set() or time.time() >= self._config.deadline_at

    async def run(self, mcp_url: str, prompt: str) -> int:
        """Run to the end: 0 = deadline or told to stop, 3 = the harness could not be kept alive."""
        await self._until(self._config.start_at)
        watch = asyncio.create_task(self._obey())
        try:
            first = Turn("first", prompt, [])
            if self._config.life > 1:
                first = Turn("recap", f"{prompts.RESTARTED}\n\n{prompt}", [])
            turn: Turn | None = first
            while not self._over:
                if self._harness is None or not self._harness.alive:
                    if not await self._start(mcp_url):
                        return 3
                    if self._tap.session > 1:
                        turn = Turn("recap", f"{prompts.RESTARTED}\n\n{prompt}", [])
                if turn is not None:
                    turn = await self._take(turn)
                if turn is None:
                    turn = await self._next()
            return 0
        finally:
            watch.cancel()
            if self._harness is not None:
                await self._harness.end(1.0)

    async def _start(self, mcp_url: str) -> bool:
        """Start the harness and open a session; False when it keeps dying."""
        while not self._over:
            if self._harness is not None:
                await self._harness.end(0.5)
            now = time.monotonic()
            self._restarts = [at for at in self._restarts if now - at < RESTARTS_WITHIN_S] + [now]
            if len(self._restarts) > RESTARTS + 1:
                return False
            await self._pause(0 if len(self._restarts) == 1 else 2 ** (len(self._restarts) - 2) / 2)
            self._tap.session += 1
            self._harness = self._make_harness()
            try:
                await self._harness.start()
                self._session = await self._harness.open(mcp_url)
            except HarnessDied as error:
                self._tap.loop("harness.failed", error=str(error)[:500])
                continue
            harness = f"{self._config.harness}/{self._harness.info.rpartition('/')[2]}"
            self.opened(harness)
            self._tap.loop(
                "session.opened",
                life=self._config.life,
                session=self._tap.session,
                session_id=self._session,
                harness=harness,
                resumed=False,
            )
            return True
        return True

    async def _take(self, turn: Turn) -> Turn | None:
        """Run one turn; the turn to run instead of waiting for news, if any. A failed turn is tried again, ever more slowly."""
        failures = 0
        while not self._over:
            ending = await self._once(turn)
            if ending.died or self._over:
                self._inbox.give_back(turn.items, "failed")
                return None
            if ending.error is None:
                return Turn("recap", prompts.GO_ON, []) if ending.stop_reason in UNFINISHED else None
            failures += 1
            await self._pause(min(SLOWEST_RETRY_S, 2.0 ** min(failures, 10) / 2))
        return None

    async def _once(self, turn: Turn) -> Ending:
        assert self._harness is not None
        self._tap.turn += 1
        self._tap.loop("turn.started", turn=self._tap.turn, trigger=turn.trigger)
        await self._tools.show(turn.items, turn.trigger)
        prompt = asyncio.create_task(self._harness.prompt(self._session, prompts.stamped(turn.text, turn.items)))
        ending = await self._finish(prompt)
        if ending.error is None:
            self._inbox.acknowledge("turn")
        self._tap.loop("turn.finished", turn=self._tap.turn, stop_reason=ending.stop_reason, error=ending.error)
        return ending

    async def _finish(self, prompt: asyncio.Task[Ending]) -> Ending:
        """The turn's ending; at the deadline or a stop it is cancelled and given a grace to say so."""
        stop = asyncio.create_task(self._stopping.wait())
        try:
            left = self._config.deadline_at - time.time()
            await asyncio.wait({prompt, stop}, timeout=min(max(0.0, left), 1e9), return_when=asyncio.FIRST_COMPLETED)
            if not prompt.done():
                assert self._harness is not None
                await self._harness.cancel(self._session)
                await asyncio.wait({prompt}, timeout=CANCEL_GRACE_S)
            if prompt.done():
                return prompt.result()
            prompt.cancel()
            return Ending("cancelled", None)
        finally:
            stop.cancel()

    async def _next(self) -> Turn | None:
        """Wait until there is something to prompt for: news, a reminder, a nudge. None when the loop is over."""
        idle_since = time.monotonic()
        while not self._over:
            self._wake.clear()
            minutes = self.remind()
            if minutes is not None:
                return Turn("reminder", prompts.time_left(minutes), self._inbox.lease(ALL_FEEDS, "turn"))
            if self._inbox.waiting():
                await self._pause(max(0.0, self._config.wake_gap_s - (time.monotonic() - idle_since)))
                return Turn("inbox", prompts.NEWS, self._inbox.lease(ALL_FEEDS, "turn"))
            idle = time.monotonic() - idle_since
            if self._nudged or idle >= self._config.idle_limit_s:
                self._nudged = False
                self._tap.loop("nudge.sent")
                return Turn("nudge", prompts.NUDGE, [])
            if self._harness is not None and not self._harness.alive:
                return None
            until = min(self._reminders.next_at, self._config.deadline_at) - time.time()
            wait = min(self._config.idle_limit_s - idle, max(0.05, until), 1.0)
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except TimeoutError:
                continue
        return None

    async def _obey(self) -> None:
        """Follow the operator's commands, and bury orphans of the harness."""
        while True:
            for command in self._commands.new():
                self._inbox.remember("commands", self._commands.place)
                if command == "nudge":
                    self._nudged = True
                    self._wake.set()
                elif command == "stop":
                    self.stop()
            if self._harness is not None and self._harness.pid is not None:
                reap_adopted(self._harness.pid)
            await asyncio.sleep(0.5)

    async def _pause(self, seconds: float) -> None:
        """Sleep, unless told to stop or out of time."""
        await self._until(min(time.time() + seconds, self._config.deadline_at))

    async def _until(self, at: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), max(0.0, at - time.time()))
        except TimeoutError:
            pass
