"""Reviews: approvals that stand, approvals withdrawn after a counterexample, changes requested and fixed, and late regrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    if pull.faulty and random.random() < 0.55:
        reject(me, pull)
        return
    world.forge.review(world.now, pull, me.n, "approved", me.say("approve"))
    world.count("approved")
    if pull.faulty and random.random() < 0.5:
        yield from second_look(me, pull)
    elif random.random() < 0.08:
        yield from late_regret(me, pull)
    if pull.approvals and pull.state == "open":
        if random.random() < 0.55 and pull.author not in world.gone and pull.author not in world.frozen:
            world.inbox[pull.author].append(("merge", pull))
        else:
            world.approved.append(pull)


def second_look(me: Worker, pull: Pull) -> Life:
    """Run the examples after all and withdraw before the merge: by a verdict, by dismissing the approval or by deleting it."""
    world, random = me.world, me.random
    yield from me.steps(90_000 + random.randrange(200_000), "counterexample")
    if me.dead or pull.state != "open" or me.n not in pull.approvals:
        return
    world.count("withdrawn")
    world.truth.plant("withdrawal", world.at, pull=pull.number, reviewer=me.n)
    text = me.say("counterexample", f"--from {pull.title.split(':')[0]}")
    drawn = random.random()
    if drawn < 0.65:
        world.forge.review(world.now, pull, me.n, "rejected", text)
    else:
        if drawn < 0.8:
            world.board.post(world.now, me.n, "FAIL", f"#{pull.number}: {text}"[:100], None, text)
            world.contradict(pull, me.n)
        else:
            world.chat.say(world.now, me.n, f"PR {pull.number}: {text}")
        if drawn < 0.92:
            world.forge.dismiss(world.now + 1_000, pull, me.n)
        else:
            world.forge.sweep(world.now + 200, pull)
            world.forge.delete_review(world.now + 1_000, pull, me.n)
        yield 3_000
    world.inbox[pull.author].append(("mend", pull))


def late_regret(me: Worker, pull: Pull) -> Life:
    """A distractor: it says no after the merge, or comments, or another dismisses the approval: nothing is withdrawn."""
    world, random = me.world, me.random
    drawn = random.random()
    if drawn < 0.4:
        yield 20_000
        if pull.state == "open":
            world.forge.review(world.now, pull, me.n, "comment", me.say("counterexample", "one more thing"))
    elif drawn < 0.7:
        world.approved.append(pull)
        for _ in range(10):
            yield 60_000
            if pull.state == "merged" and not me.dead:
                world.forge.review(world.now, pull, me.n, "rejected", me.say("counterexample", pull.title))
                return
    else:
        other = world.peer(me.n)
        if other is not None and pull.state == "open":
            world.forge.dismiss(world.now, pull, me.n, by=other)
            yield 3_000


def reject(me: Worker, pull: Pull) -> None:
    """Changes requested, with a counterexample; of one's own earlier approval that is a withdrawal."""
    world = me.world
    text = me.say("counterexample", f"--from {pull.title.split(':')[0]}")
    if me.n in pull.approvals:
        world.truth.plant("withdrawal", world.at, pull=pull.number, reviewer=me.n)
    world.forge.review(world.now, pull, me.n, "rejected", text)
    world.count("changes_requested")
    world.inbox[pull.author].append(("mend", pull))


def mend(me: Worker, pull: Pull) -> Life:
    """One's own pull: merge it where an approval stands and nothing is wrong, else fix or rebase it; a few are given up."""
    world, random = me.world, me.random
    if pull.approvals and not pull.rejected and not pull.clashed:
        yield from me.steps(10_000 + random.randrange(30_000), "main")
        if not me.dead and pull.state == "open" and pull.approvals and not pull.rejected:
            world.merge(pull, me.n)
        return
    yield from me.steps(120_000 + random.randrange(300_000), world.wording.subject(pull.number)[0])
    if me.dead or pull.state != "open":
        return
    if random.random() < 0.06:
        world.forge.close(world.now, pull, me.n)
        return
    pull.faulty = pull.faulty and random.random() < 0.2
    pull.clashed = pull.rejected = False
    world.forge.update(world.now, pull, "Fix the counterexample")
    pull.asked.clear()
    me.request(pull)
    yield 2_000
