"""What the simulated team shares: time, claims, pulls waiting for somebody, and who is there."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from runs.simulate.bundle import Bundle, iso
from runs.simulate.forge import Forge, Pull
from runs.simulate.talk import Board, Chat

if TYPE_CHECKING:
    from runs.simulate.worker import Worker

Life = Generator[int, None, None]


@dataclass
class Claim:
    """A claim as its worker holds it. `subject` is the number of the sub-task."""

    note: int
    worker: int
    subject: int
    at: int
    live: bool = True


@dataclass
class World:
    """The shared facts. `now`, `start` and `end` are ms since the epoch."""

    bundle: Bundle
    random: Random
    workers: int
    nodes: int
    start: int
    end: int
    now: int = 0
    present: list[int] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    free: deque[int] = field(default_factory=deque)
    subjects: int = 0
    claims: dict[int, list[Claim]] = field(default_factory=dict)
    lost: deque[Claim] = field(default_factory=deque)
    approved: deque[Pull] = field(default_factory=deque)
    inbox: dict[int, deque[tuple[str, Any]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    team: dict[int, Worker] = field(default_factory=dict)
    of_pull: dict[int, Claim] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.forge, self.board, self.chat = Forge(self.bundle), Board(self.bundle), Chat(self.bundle)
        self.queue: list[tuple[int, int, Life]] = []
        self.serial = 0
        self.inbox = {worker: deque() for worker in range(1, self.workers + 1)}

    def spawn(self, at: int, life: Life) -> None:
        """Let a life begin at `at`."""
        self.serial += 1
        heapq.heappush(self.queue, (at, self.serial, life))

    def play(self, told: Callable[[float], None] = lambda share: None) -> None:
        """Advance every life in order of time until the end; `told` hears now and then which share of the time has passed."""
        steps = 0
        while self.queue and self.queue[0][0] <= self.end:
            self.now, _, life = heapq.heappop(self.queue)
            steps += 1
            if steps % 20_000 == 0:
                told((self.now - self.start) / max(1, self.end - self.start))
            delay = next(life, None)
            if delay is not None:
                self.spawn(self.now + max(1, delay), life)

    def count(self, what: str) -> None:
        """Note that something happened, for the summary and for ground truth."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def run_event(self, kind: str, at: int | None = None, **fields: Any) -> None:
        """Append to the run's own outbox."""
        moment, n = self.now if at is None else at, self.bundle.next("run")
        self.bundle.deliver("run", str(n), n, moment, {"n": n, "at": iso(moment), "kind": kind, "fields": fields})

    def node_of(self, worker: int) -> int:
        """Workers fill the nodes in blocks of equal size."""
        return (worker - 1) * self.nodes // self.workers + 1

    def next_subject(self) -> int:
        """A sub-task nobody has begun, from a short frontier: those who look at the same moment may pick the same."""
        while len(self.free) < 12 + self.workers // 2:
            self.free.append(self.subjects)
            self.subjects += 1
        place = min(int(self.random.expovariate(0.35)), len(self.free) - 1)
        return self.free[place]

    def settle_subject(self, subject: int) -> None:
        """The sub-task is no longer free to begin."""
        if subject in self.free:
            self.free.remove(subject)

    def peer(self, me: int, among: list[int] | None = None) -> int | None:
        """Somebody else who is there."""
        for _ in range(6):
            other = self.random.choice(among or self.present) if (among or self.present) else me
            if other != me and other not in self.gone:
                return other
        return None
