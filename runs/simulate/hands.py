"""What a simulated worker does with its hands: notes, pulls, requests, posts, and settling an overlap."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from runs.simulate.claims import Claim
from runs.simulate.forge import Pull
from runs.simulate.teamwork import small_pull

if TYPE_CHECKING:
    from runs.simulate.world import Life, World

MOST_ASKS = 3  # of one reviewer by one author, where no scene asks for more


class Hands:
    """Deeds of the worker `n`; each takes no time unless it is a Life."""

    world: World
    random: Random
    n: int
    seen: int
    dead: bool
    latest: Pull | None

    def say(self, occasion: str, *words: str) -> str:
        """One of the team's forms for an occasion, filled."""
        return self.world.wording.say(self.random, occasion, *words)

    def spelled(self, number: int) -> str:
        """A sub-task as it happens to write it."""
        return self.world.wording.spelled(self.random, number)

    def claim(self, number: int, lost: Claim | None = None) -> Claim:
        """A CLAIM note in whatever words; one in thirty is too long first and refused."""
        world, random = self.world, self.random
        words = self.spelled(number)
        text = self.say("take", words, f"w{lost.worker:04d}") if lost else self.say("claim", words)
        if random.random() < 0.03:
            long = f"{text}, and everything that I found out about it on the way so far, which is rather more than fits in here"
            world.board.refuse(world.now, self.n, "CLAIM", long, f"text is {len(long)} characters, CLAIM allows 100")
        delegation = world.wording.subject(number)[0] if random.random() < 0.8 else None
        note = world.board.post(world.now, self.n, "CLAIM", text[:100], delegation)
        return world.claims.open(note, self.n, number, self.seen, lost)

    def fail(self, claim: Claim) -> None:
        """A FAIL note on the claim's sub-task."""
        about = self.world.wording.subject(claim.subject)[0]
        text = self.say("fail", self.spelled(claim.subject))
        note = self.world.board.post(
            self.world.now, self.n, "FAIL", text[:100], about if self.random.random() < 0.8 else None, "Tried twice."
        )
        self.world.claims.failed(claim, note)

    def open_pull(self, claim: Claim, faulty: bool | None = None) -> Pull:
        """Push and open; the pull tells its claim by a trailer, its branch, its sub-task's id or its title."""
        world, random = self.world, self.random
        about, path, title = world.wording.subject(claim.subject)
        link = random.choices(("trailer", "branch", "id", "title"), (6, 2, 1, 1))[0]
        branch = f"w{self.n:04d}/{f'n{claim.note}-' if link == 'branch' else ''}{about[:40]}-{claim.note % 97}x"
        world.forge.push(world.now, self.n, branch, title, path)
        done = world.at / (world.end - world.start)
        body, shared = world.plan.body(random, done, title, f"tests/{about} 6/6")
        body += {"trailer": f"\n\nClaim: n{claim.note}", "id": f"\n\nPart {about}."}.get(link, "")
        body += self._neighbour()
        pull = world.forge.open(world.now + 900, self.n, branch, title, body)
        world.shaped(shared, self.n)
        pull.faulty = random.random() < 0.22 if faulty is None else faulty
        world.of_pull[pull.number] = claim
        claim.has_pull = True
        summary = f"files={path} | idea={title} | evidence=tests/{about} 6/6"
        world.board.post(world.now + 1_500, self.n, "PATCH_SUMMARY", summary[:300], about)
        return pull

    def _neighbour(self) -> str:
        """A distractor: every sixth pull names an earlier merged one that it does not mend."""
        number, forms = len(self.world.forge.pulls) + 1, self.world.wording.neighbours
        other = self.world.forge.pulls.get(number - 7)
        if number % 6 or other is None or other.state != "merged":
            return ""
        return "\n\n" + forms[number // 6 % len(forms)].format(other.number)

    def chat(self, title: str) -> None:
        """Something in the channel; a few posts are edited or deleted."""
        world, random = self.world, self.random
        at, text = world.now + 2_000, self.say("chatter", title)
        post = world.chat.say(at, self.n, text)
        if random.random() < 0.04:
            world.chat.edit(post, at, at + 5_000, self.n, f"{text} (edited)")
        elif random.random() < 0.02:
            world.chat.delete(post, at, at + 9_000, self.n, text)

    def settle(self, claim: Claim, rival: Claim) -> Life:
        """Mostly two direct messages, then one side gives way; or nobody says a word."""
        world, random = self.world, self.random
        talks = random.random() < 0.75
        if talks:
            world.direct(world.now, self.n, rival.worker, self.say("ask", self.spelled(claim.subject)))
            yield 6_000 + random.randrange(40_000)
            world.direct(world.now, rival.worker, self.n, self.say("answer", self.spelled(claim.subject)))
            yield 3_000 + random.randrange(20_000)
        if not world.claims.holds(claim) or not world.claims.holds(rival) or self.dead:
            return
        drawn = random.random()
        if drawn < 0.7:
            yielding, other = (claim, rival) if random.random() < 0.8 else (rival, claim)
            words = f"n{yielding.note}" if random.random() < 0.6 or not talks else self.spelled(yielding.subject)
            text = self.say("release", words)
            if talks:
                world.direct(world.now, yielding.worker, other.worker, text)
            else:
                text = text if words in text else f"releasing {words}"
                world.board.post(world.now, yielding.worker, "OBSERVED", text[:100], None)
            world.claims.release(yielding)
        elif drawn < 0.9:
            yield from self.keep(claim, rival)

    def keep(self, claim: Claim, rival: Claim) -> Life:
        """A distractor: nobody gives way. One of the two writes how far it is, or this one does a small thing first and comes back."""
        world, random = self.world, self.random
        told = claim if random.random() < 0.5 else rival
        if random.random() < 0.6 and told.worker not in world.gone and told.worker not in world.frozen:
            words = f"n{told.note}" if random.random() < 0.6 else self.spelled(told.subject)
            world.board.post(world.now, told.worker, "OBSERVED", self.say("progress", words)[:100], None)
        if random.random() < 0.4:
            yield 2_000
            yield from small_pull(self)  # type: ignore[arg-type]
            if self.latest is not None and not self.dead:
                self.request(self.latest)
                world.count("kept_both")

    def request(self, pull: Pull) -> None:
        """Ask a reviewer or two, nobody too often."""
        world = self.world
        for _ in range(2 if self.random.random() < 0.15 else 1):
            reviewer = world.peer(self.n)
            if reviewer and reviewer not in pull.asked and world.asks.get((self.n, reviewer), 0) < MOST_ASKS:
                self.ask(pull, reviewer)
                world.inbox[reviewer].append(("review", pull))

    def ask(self, pull: Pull, reviewer: int) -> None:
        """A request for review on the forge."""
        self.world.asks[self.n, reviewer] = self.world.asks.get((self.n, reviewer), 0) + 1
        self.world.forge.ask(self.world.now + 1_800, pull, reviewer)
