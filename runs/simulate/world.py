"""What the simulated team shares: time, claims, pulls waiting for somebody, and who is there."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from runs.simulate.bundle import Bundle, iso
from runs.simulate.claims import Claim, Claims
from runs.simulate.forge import Forge, Pull
from runs.simulate.plan import Plan
from runs.simulate.talk import Board, Chat
from runs.simulate.truth import Truth
from runs.simulate.wording import PLAIN, Wording

if TYPE_CHECKING:
    from runs.simulate.worker import Worker

Life = Generator[int, None, None]
CLAIM_LIFE = 3_600_000


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
    ttl: int = CLAIM_LIFE
    present: list[int] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    busy: set[int] = field(default_factory=set)  # in a scene: no accident befalls them
    free: deque[int] = field(default_factory=deque)
    subjects: int = 0
    lost: deque[Claim] = field(default_factory=deque)
    approved: deque[Pull] = field(default_factory=deque)
    inbox: dict[int, deque[tuple[str, Any]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    team: dict[int, Worker] = field(default_factory=dict)
    of_pull: dict[int, Claim] = field(default_factory=dict)
    asks: dict[tuple[int, int], int] = field(default_factory=dict)
    merges: dict[int, list[int]] = field(default_factory=dict)  # merger -> when it merged pulls of others
    shapes: list[tuple[bool, int]] = field(default_factory=list)
    converged: bool = False
    truth: Truth = field(default_factory=Truth)
    wording: Wording = PLAIN

    def __post_init__(self) -> None:
        self.forge, self.board, self.chat = Forge(self.bundle), Board(self.bundle), Chat(self.bundle)
        self.claims = Claims(self)
        self.plan = Plan.drawn(self.random, self.workers, (self.end - self.start) / 3_600_000)
        self.queue: list[tuple[int, int, Life, int]] = []
        self.frozen: set[int] = set()  # workers that do nothing for now
        self.serial = 0
        self.inbox = {worker: deque() for worker in range(1, self.workers + 1)}

    @property
    def at(self) -> int:
        """Now, in ms since the start."""
        return self.now - self.start

    def spawn(self, at: int, life: Life, owner: int = 0) -> None:
        """Let a life begin at `at`; an owner that is frozen makes it wait."""
        self.serial += 1
        heapq.heappush(self.queue, (at, self.serial, life, owner))

    def play(self, told: Callable[[float], None] = lambda share: None) -> None:
        """Advance every life in order of time until the end; `told` hears now and then which share of the time has passed."""
        steps = 0
        while self.queue and self.queue[0][0] <= self.end:
            self.now, _, life, owner = heapq.heappop(self.queue)
            steps += 1
            if steps % 2_000 == 0:
                told((self.now - self.start) / max(1, self.end - self.start))
            if owner in self.frozen:
                self.spawn(self.now + 30_000, life, owner)
                continue
            delay = next(life, None)
            if delay is not None:
                self.spawn(self.now + max(1, delay), life, owner)

    def count(self, what: str) -> None:
        """Note that something happened, for the summary."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def run_event(self, kind: str, at: int | None = None, **fields: Any) -> None:
        """Append to the run's own outbox."""
        moment, n = self.now if at is None else at, self.bundle.next("run")
        self.bundle.deliver("run", str(n), n, moment, {"n": n, "at": iso(moment), "kind": kind, "fields": fields})

    def node_of(self, worker: int) -> int:
        """Workers fill the nodes in blocks of equal size."""
        return (worker - 1) * self.nodes // self.workers + 1

    # what several do

    def direct(self, at: int, one: int, other: int, text: str, reply_to: str = "") -> str:
        """A direct message; the receiver's inbox stores it."""
        post = self.chat.say(at, one, text, other, reply_to)
        self.claims.talk(one, other)
        self.team[other].receive(at, "direct", post)
        return post

    def merge(self, pull: Pull, merger: int) -> None:
        """A worker merges a pull, and its claim lands."""
        self.forge.merge(self.now, pull, merger)
        if merger != pull.author:
            self.merges.setdefault(merger, []).append(self.now)
        claim = self.of_pull.pop(pull.number, None)
        if claim is not None:
            self.claims.land(claim)
        self.count("merged")

    def others_merged(self, worker: int) -> int:
        """How many pulls of others it merged within the last hour."""
        return sum(1 for at in self.merges.get(worker, ())[-20:] if at > self.now - 3_600_000)

    def contradict(self, pull: Pull, speaker: int) -> None:
        """Somebody's FAIL, or a merged fix, speaks against whoever approved the pull and has not taken that back."""
        for reviewer in pull.approvals:
            if (reviewer != speaker or pull.state == "merged") and reviewer not in pull.doubted:
                pull.doubted.add(reviewer)
                self.truth.plant("contradiction", self.at, pull=pull.number, reviewer=reviewer)
                self.count("contradiction")

    def shaped(self, shared: bool, author: int) -> None:
        """A pull was opened whose body has the team's form, or another."""
        latest = self.shapes
        latest.append((shared, author))
        authors = {who for good, who in latest[-14:] if good}
        mostly = sum(good for good, _ in latest[-14:]) >= 12
        if not self.converged and len(latest) >= 14 and mostly and len(authors) >= 4:
            self.converged = True
            self.truth.plant("protocol", self.at)

    # what to do next

    def next_subject(self) -> int:
        """A sub-task nobody has begun, from a short frontier: those who look at the same moment may pick the same."""
        while len(self.free) < 12 + self.workers // 2:
            self.free.append(self.subjects)
            self.subjects += 1
        place = min(int(self.random.expovariate(0.35)), len(self.free) - 1)
        return self.free[place]

    def fresh_subject(self) -> int:
        """A sub-task that nobody else will look at."""
        self.subjects += 1
        return self.subjects - 1

    def settle_subject(self, subject: int) -> None:
        """The sub-task is no longer free to begin."""
        if subject in self.free:
            self.free.remove(subject)

    def peer(self, me: int, among: list[int] | None = None) -> int | None:
        """Somebody else who is there."""
        for _ in range(6):
            other = self.random.choice(among or self.present) if (among or self.present) else me
            if other != me and other not in self.gone and other not in self.frozen:
                return other
        return None

    def peers(self, me: int, count: int) -> list[int]:
        """Several others who are there and in no scene; fewer if there are not so many."""
        able = [each for each in self.present if each not in (*self.gone, *self.busy, *self.frozen) and each != me]
        return self.random.sample(able, min(count, len(able)))
