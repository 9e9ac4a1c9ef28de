"""Reviews: approvals that stand, approvals withdrawn after a counterexample, changes requested and fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runs.simulate.words import APPROVALS, COUNTEREXAMPLES, pick, subject
from runs.simulate.world import Life

if TYPE_CHECKING:
    from runs.simulate.forge import Pull
    from runs.simulate.worker import Worker


def review(me: Worker, pull: Pull) -> Life:
    """Read the pull and say a verdict; one's own pull in the inbox is one to mend."""
    world, random = me.world, me.random
    if pull.state != "open":
        return
    if pull.author == me.n:
        yield from mend(me, pull)
        return
    yield from me.steps(60_000 + random.randrange(180_000), "review")
    if me.dead or pull.state != "open":
        return
    finds = pull.faulty and random.random() < 0.55
    if finds:
        reject(me, pull)
        return
    world.forge.review(world.now, pull, me.n, "approved", pick(random, APPROVALS))
    world.count("approved")
    author_trusts(me, pull)
    if pull.faulty and random.random() < 0.5:
        yield from second_look(me, pull)
    if pull.approvals and pull.state == "open":
        world.approved.append(pull)


def author_trusts(me: Worker, pull: Pull) -> None:
    """The author remembers a reviewer whose review stood."""
    author = me.world.team[pull.author]
    if not pull.faulty and me.n not in author.trusted:
        author.trusted = [*author.trusted[-3:], me.n]


def second_look(me: Worker, pull: Pull) -> Life:
    """Run the examples after all: withdraw before the merge, by changes requested or by dismissing the approval."""
    world, random = me.world, me.random
    yield from me.steps(90_000 + random.randrange(200_000), "counterexample")
    if me.dead or pull.state != "open" or me.n not in pull.approvals:
        return
    world.count("withdrawn")
    text = pick(random, COUNTEREXAMPLES, f"--from {pull.title.split(':')[0]}")
    if random.random() < 0.75:
        world.forge.review(world.now, pull, me.n, "rejected", text)
    else:
        world.board.post(world.now, me.n, "FAIL", f"#{pull.number}: {text}"[:100], None, text)
        world.forge.dismiss(world.now + 1_000, pull, me.n)
    world.inbox[pull.author].append(("mend", pull))


def reject(me: Worker, pull: Pull) -> None:
    """Changes requested, with a counterexample."""
    world, random = me.world, me.random
    text = pick(random, COUNTEREXAMPLES, f"--from {pull.title.split(':')[0]}")
    world.forge.review(world.now, pull, me.n, "rejected", text)
    world.count("changes_requested")
    world.inbox[pull.author].append(("mend", pull))


def mend(me: Worker, pull: Pull) -> Life:
    """Fix or rebase one's own pull and ask again; a few are given up."""
    world, random = me.world, me.random
    yield from me.steps(120_000 + random.randrange(300_000), subject(random, pull.number)[0])
    if me.dead or pull.state != "open":
        return
    if random.random() < 0.06:
        world.forge.close(world.now, pull, me.n)
        return
    pull.faulty = pull.faulty and random.random() < 0.2
    world.forge.update(world.now, pull, "Fix the counterexample")
    pull.asked.clear()
    me.request(pull)
    yield 2_000
