"""One simulated worker: the five-step loop of the protocol as a life that yields how long it waits."""

from __future__ import annotations

import copy
from random import Random

from runs.simulate.acp import Tap
from runs.simulate.forge import Pull
from runs.simulate.review import review
from runs.simulate.words import ASKS, CHATTER, CLAIMS, RELEASES, TAKES, pick, subject
from runs.simulate.world import Claim, Life, World

MINUTE = 60_000


class Worker:
    """A worker's temper: how it divides its time. Heavy-tailed, so that some become reviewers and integrators."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.n = world, number
        self.random = Random(f"{world.random.random()}-{number}")
        self.tap = Tap(world.bundle, number, self.random)
        self.pace = self.random.lognormvariate(0, 0.35)
        self.likes_review = min(0.95, 0.25 * self.random.paretovariate(1.6))
        self.likes_merging = min(0.97, 0.05 * self.random.paretovariate(0.9))
        self.trusted: list[int] = []
        self.seen = 0
        self.dead = False

    # --- the loop
    def life(self) -> Life:
        """Join, loop until the end, with turns, idling and the occasional stall."""
        world = self.world
        self.join()
        trigger = "first"
        while not self.dead:
            self.tap.begin(world.now, trigger)
            world.board.read(world.now + 200, self.n, world.board.notes - self.seen)
            self.seen = world.board.notes
            yield from self.steps(20_000 + self.random.randrange(40_000), "board")
            yield from self.one_turn()
            if self.dead:
                return
            self.tap.finish(world.now)
            self.tap.ship()
            pause = int(self.random.expovariate(1 / 45_000))
            if self.random.random() < 0.01:
                pause += 10 * MINUTE
                yield pause
                self.tap.note(world.now, "nudge.sent")
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

    def steps(self, length: int, word: str) -> Life:
        """Tool calls for about `length` ms, in slices so that others act in between."""
        until = self.world.now + int(length * self.pace)
        while self.world.now < until and not self.dead:
            at, slice_end = self.world.now, min(until, self.world.now + 90_000)
            while at < slice_end:
                took = int(self.random.lognormvariate(8.3, 0.9))
                self.tap.step(at, took, self.random.random() > 0.08, word)
                at += took + 6_000 + self.random.randrange(10_000)
            yield max(1, at - self.world.now)

    def one_turn(self) -> Life:
        """What is most urgent: a review asked for, a pull to integrate, a peer's lost work, else a sub-task of one's own."""
        world = self.world
        box = world.inbox[self.n]
        for _ in range(1 + int(4 * self.likes_review)):
            if box:
                yield from review(self, box.popleft()[1])
        merges = 1 + int(self.likes_merging * 8) if self.random.random() < self.likes_merging else 0
        for _ in range(merges):
            if world.approved:
                yield from self.integrate(world.approved.popleft())
        if self.dead:
            return
        if world.lost and self.random.random() < 0.5:
            lost = world.lost.popleft()
            if lost.worker != self.n:
                yield from self.implement(lost.subject, lost)
                return
        yield from self.implement(world.next_subject(), None)

    # --- a sub-task
    def implement(self, number: int, lost: Claim | None) -> Life:
        """CLAIM, settle overlaps, work, open a pull; or fail, or let the claim expire."""
        world, random = self.world, self.random
        about, path, title = subject(random, number)
        text = pick(random, TAKES, title, f"w{lost.worker:04d}") if lost else pick(random, CLAIMS, title)
        delegation = about if random.random() < 0.8 else None
        claim = Claim(world.board.post(world.now, self.n, "CLAIM", text[:100], delegation), self.n, number, world.now)
        rivals = [other for other in world.claims.get(number, []) if other.live and other.worker != self.n]
        world.claims.setdefault(number, []).append(claim)
        if lost:
            world.count("taken_over")
        if random.random() < 0.85:  # the rest is claimed before peers read the note
            world.settle_subject(number)
        yield 4_000 + random.randrange(15_000)
        world.settle_subject(number)
        if rivals and rivals[0].live:
            yield from self.settle(claim, rivals[0], title)
            if not claim.live:
                return
        yield from self.steps(int(random.lognormvariate(13.2, 0.55)), path.rsplit("/", 1)[1][:-2])
        if self.dead or not claim.live:
            return
        if random.random() < 0.05:
            reason = f"{title}: gave up, the reference does something I cannot find"
            world.board.post(world.now, self.n, "FAIL", reason[:100], about, "Tried twice. Free to take.")
            self.lose(claim, "failed")
            return
        branch = f"w{self.n:04d}/n{claim.note}-{about[:40]}"
        world.forge.push(world.now, self.n, branch, title)
        body = f"{title}.\n\nClaim: n{claim.note}" if random.random() < 0.8 else f"{title}."
        pull = world.forge.open(world.now + 900, self.n, branch, title, body)
        pull.faulty = random.random() < 0.22
        world.of_pull[pull.number] = claim
        summary = f"files={path} | idea={title} | evidence=tests/{about} 6/6"
        world.board.post(world.now + 1_500, self.n, "PATCH_SUMMARY", summary[:300], about)
        if random.random() < 0.5:
            world.chat.say(world.now + 2_000, self.n, pick(random, CHATTER, title))
        self.request(pull)
        yield 2_500

    def settle(self, claim: Claim, rival: Claim, title: str) -> Life:
        """Two direct messages; the younger claim is released, mostly."""
        world, random = self.world, self.random
        world.count("overlap")
        world.chat.say(world.now, self.n, pick(random, ASKS, title), rival.worker)
        yield 6_000 + random.randrange(40_000)
        world.chat.say(world.now, rival.worker, f"I opened n{rival.note} first, nearly done.", self.n)
        yield 3_000
        if random.random() < 0.85:
            world.chat.say(world.now, self.n, pick(random, RELEASES, f"n{claim.note}"), rival.worker)
            claim.live = False

    def lose(self, claim: Claim, cause: str) -> None:
        """The claim is free for somebody else."""
        claim.live = False
        self.world.count(f"lost_{cause}")
        self.world.lost.append(claim)

    def request(self, pull: Pull) -> None:
        """Ask reviewers: trusted ones again, else somebody who is there."""
        world = self.world
        for _ in range(2 if self.random.random() < 0.15 else 1):
            trusted = self.trusted if self.trusted and self.random.random() < 0.7 else None
            reviewer = world.peer(self.n, trusted)
            if reviewer and reviewer not in pull.asked:
                world.forge.ask(world.now + 1_800, pull, reviewer)
                world.inbox[reviewer].append(("review", pull))

    def integrate(self, pull: Pull) -> Life:
        """Merge an approved pull, after a rebase now and then."""
        world = self.world
        yield from self.steps(15_000 + self.random.randrange(30_000), "main")
        if self.dead or pull.state != "open" or not pull.approvals:
            return
        if self.random.random() < 0.12:
            world.forge.sweep(world.now, pull, mergeable=False)
            world.forge.sweep(world.now + 61_000, pull, mergeable=False)
            world.inbox[pull.author].append(("rebase", pull))
            return
        world.forge.merge(world.now, pull, self.n)
        world.of_pull.pop(pull.number).live = False
        world.count("merged")
        yield 1_500

    def die(self, code: int, signal: int | None, oom: bool) -> None:
        """The process ends; what it held is lost."""
        world = self.world
        self.tap.ship()
        self.dead = True
        world.gone.add(self.n)
        world.run_event(
            "worker.exited", worker=self.n, life=self.tap.life, code=code, signal=signal, oom=oom, expected=False
        )
        for claims in world.claims.values():
            for claim in claims:
                if claim.worker == self.n and claim.live:
                    self.lose(claim, "crashed")
