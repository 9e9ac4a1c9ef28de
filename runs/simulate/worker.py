"""One simulated worker: the five-step loop of the protocol as a life that yields how long it waits."""

from __future__ import annotations

import copy
from random import Random

from runs.simulate.acp import Tap
from runs.simulate.claims import Claim
from runs.simulate.forge import Pull
from runs.simulate.hands import Hands
from runs.simulate.inbox import Inbox
from runs.simulate.review import review
from runs.simulate.scenes import play
from runs.simulate.world import Life, World

MINUTE = 60_000


class Worker(Hands):
    """A worker's temper: how it divides its time. Heavy-tailed, so that some review and merge more than others."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.n = world, number
        self.random = Random(f"{world.random.random()}-{number}")
        self.tap = Tap(world.bundle, number, self.random)
        self.inbox = Inbox(self.tap)
        self.pace = self.random.lognormvariate(0, 0.35)
        self.likes_review = min(0.95, 0.25 * self.random.paretovariate(1.6))
        self.likes_merging = min(0.97, 0.05 * self.random.paretovariate(0.9))
        self.seen = 0
        self.dead = False
        self.latest: Pull | None = None

    # --- the loop
    def life(self) -> Life:
        """Join, loop until the end, with turns, idling and the occasional stall."""
        world = self.world
        self.join()
        trigger = "first"
        while not self.dead:
            self.tap.begin(world.now, trigger)
            notes = world.board.notes
            self.inbox.notes(world.now + 100, self.seen, notes)
            self.inbox.show(world.now + 150, "turn")
            world.board.read(world.now + 200, self.n, notes - self.seen)
            self.seen = notes
            yield from self.steps(20_000 + self.random.randrange(40_000), "board")
            yield from self.one_turn()
            if self.dead:
                return
            self.inbox.acknowledge(world.now)
            self.tap.finish(world.now)
            self.tap.ship()
            pause = int(self.random.expovariate(1 / 45_000))
            if self.random.random() < 0.01:
                pause += 10 * MINUTE
                yield pause
                self.tap.note(world.now, "nudge.sent")
                if self.dead:  # nobody else would send it before the run is over
                    self.tap.ship()
                trigger = "nudge"
                continue
            trigger = "inbox"
            yield pause

    def join(self) -> None:
        """The process starts (again)."""
        world = self.world
        world.gone.discard(self.n)
        world.run_event("worker.joined", worker=self.n, life=self.tap.life)
        self.tap.open(world.now, resumed=self.tap.life > 1)
        if self.n not in world.present:
            world.present.append(self.n)

    def reborn(self) -> Worker:
        """The same worker under its next life; the old one stays dead, whatever it still had in hand."""
        again = copy.copy(self)
        again.dead = False
        again.tap.life, again.tap.n = again.tap.life + 1, 0
        return again

    def receive(self, at: int, feed: str, item: str) -> None:
        """Something for it; a worker that is gone gets it in its next life."""
        if not self.dead and self.n not in self.world.gone:
            self.inbox.store(at, feed, item)

    def steps(self, length: int, word: str) -> Life:
        """Tool calls for about `length` ms, in slices so that others act in between."""
        until = self.world.now + int(length * self.pace)
        while self.world.now < until and not self.dead:
            at, slice_end = self.world.now, min(until, self.world.now + 90_000)
            while at < slice_end:
                took = int(self.random.lognormvariate(8.3, 0.9))
                self.tap.step(at, took, self.random.random() > 0.08, word)
                at += took + 6_000 + self.random.randrange(10_000)
            if self.inbox.stored:
                self.inbox.show(at, "tool")
            yield max(1, at - self.world.now)

    def one_turn(self) -> Life:
        """What is most urgent: a review asked for, a scene, a pull to integrate, a peer's lost work, else a sub-task of its own."""
        world = self.world
        box = world.inbox[self.n]
        for _ in range(1 + int(4 * self.likes_review)):
            if box:
                yield from review(self, box.popleft()[1])
        if self.dead:
            return
        if world.plan.deck and self.n not in world.busy and self.random.random() < 0.35:
            yield from play(self, world.plan.deck.pop())
        if world.approved and self.random.random() < self.likes_merging and world.others_merged(self.n) < 2:
            yield from self.integrate(world.approved.popleft())
        if self.dead:
            return
        if world.lost and self.random.random() < 0.5:
            lost = world.lost.popleft()
            if lost.worker != self.n and lost.taker is None:
                yield from self.implement(lost.subject, lost)
                return
            world.lost.append(lost)
        yield from self.implement(world.next_subject(), None)

    # --- a sub-task
    def implement(self, number: int, lost: Claim | None) -> Life:
        """CLAIM, settle overlaps, work, open a pull; or fail, or let the claim expire."""
        world, random = self.world, self.random
        rivals = world.claims.rivals(number, self.n)
        claim = self.claim(number, lost)
        if random.random() < 0.85:  # the rest is claimed before peers read the note
            world.settle_subject(number)
        yield 4_000 + random.randrange(15_000)
        world.settle_subject(number)
        if rivals and rivals[0].live:
            yield from self.settle(claim, rivals[0])
        if claim.live:
            yield from self.work(claim, int(random.lognormvariate(13.2, 0.55)))

    def work(self, claim: Claim, length: int) -> Life:
        """Act on a claim, then open a pull for it, unless it fails."""
        random = self.random
        _, path, title = self.world.wording.subject(claim.subject)
        yield from self.steps(length, path.rsplit("/", 1)[1][:-2])
        if self.dead or not claim.live:
            return
        if random.random() < (0.25 if claim.took else 0.05):
            self.fail(claim)
            return
        pull = self.open_pull(claim)
        if random.random() < 0.5:
            self.chat(title)
        self.request(pull)
        yield 2_500

    def integrate(self, pull: Pull) -> Life:
        """Merge an approved pull, after a rebase now and then."""
        world = self.world
        yield from self.steps(15_000 + self.random.randrange(30_000), "main")
        if self.dead or pull.state != "open" or not pull.approvals:
            return
        if self.random.random() < 0.12 and not pull.clashed:
            pull.clashed = True
            world.forge.sweep(world.now, pull)
            yield 61_000
            if pull.state == "open":
                world.truth.plant("conflict", world.at, pull=pull.number)
                world.forge.sweep(world.now, pull, conflict="true")
                world.inbox[pull.author].append(("rebase", pull))
            return
        world.merge(pull, self.n)
        yield 1_500

    def die(self, code: int, signal: int | None, oom: bool) -> None:
        """The process ends; what it held is lost."""
        world = self.world
        self.tap.ship()
        self.dead = True
        world.gone.add(self.n)
        facts = {"code": code, "signal": signal, "oom": oom, "expected": False}
        world.run_event("worker.exited", worker=self.n, life=self.tap.life, **facts)
        for claim in list(world.claims.of_worker.get(self.n, ())):
            world.claims.lose(claim, "crashed")
