"""Scenes of several workers: trusted reviewers, hand-overs, integrators, coordinators, and what only looks like a hand-over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runs.simulate.world import Life

if TYPE_CHECKING:
    from runs.simulate.forge import Pull
    from runs.simulate.worker import Worker


def small_pull(me: Worker) -> Life:
    """A sub-task of one's own from CLAIM to pull, without a slip; leaves the pull in `me.latest`."""
    world = me.world
    claim = me.claim(world.fresh_subject())
    yield from me.steps(25_000 + me.random.randrange(20_000), "small")
    me.latest = me.open_pull(claim, faulty=False) if not me.dead else None
    yield 2_000


def trusted(me: Worker) -> Life:
    """An author asks one reviewer again and again, whose word stands each time."""
    world, random = me.world, me.random
    for reviewer in world.peers(me.n, 1):
        world.busy.add(reviewer)
        again = random.randint(*world.plan.asks)
        for _ in range(1 + again):
            yield from small_pull(me)
            pull = me.latest
            if pull is None:
                break
            me.ask(pull, reviewer)
            yield 15_000 + random.randrange(40_000)
            if pull.state == "open":
                verdict = "approved"
                world.forge.review(world.now, pull, reviewer, verdict, me.say("approve"))
            yield 4_000 + random.randrange(9_000)
            if pull.state == "open":
                world.merge(pull, me.n)
        else:
            world.truth.plant("trusted", world.at, author=me.n, reviewer=reviewer, again=again)
            world.count("trusted")
        world.busy.discard(reviewer)


def integrator(me: Worker) -> Life:
    """A worker merges what others have ready, up to a count drawn; nobody hands it its own."""
    world, random = me.world, me.random
    most, done, since = random.randint(*world.plan.merges), 0, world.now
    while done < most and world.now - since < 50 * 60_000 and not me.dead:
        yield from me.steps(20_000 + random.randrange(30_000), "main")
        pull = _ready(me)
        if pull is None:
            continue
        if not pull.approvals:
            world.forge.review(world.now, pull, me.n, "approved", me.say("approve"))
            yield 3_000
        if pull in world.approved:
            world.approved.remove(pull)
        if pull.state != "open":
            continue
        world.merge(pull, me.n)
        done += 1
    if done >= most:
        world.truth.plant("integrator", world.at, worker=me.n, merges=done)
        world.count("integrator")


def _ready(me: Worker) -> Pull | None:
    """An open pull of another, approved if there is one."""
    able = [each for each in me.world.forge.recent(80) if each.state == "open" and each.author != me.n]
    able = [each for each in able if not each.rejected and not each.clashed and each.author not in me.world.busy]
    return next((each for each in able if each.approvals), able[-1] if able else None)


def hand_over(me: Worker) -> Life:
    """An author asks several, takes the first useful answer, calls others off, and another lands the pull."""
    world, random = me.world, me.random
    peers = world.peers(me.n, random.randint(2, 4))
    if len(peers) < 2:
        return
    world.busy.update(peers)
    yield from small_pull(me)
    if (pull := me.latest) is not None:
        by_words = random.random() < 0.5
        yield from _ask_all(me, pull, peers, by_words)
        first, *others = random.sample(peers, len(peers))
        yield from _answer(me, pull, first, by_words)
        called_off = False
        for peer in others[: random.randint(1, len(others))]:
            yield 2_000 + random.randrange(5_000)
            called_off = called_off or pull.state == "open"
            if by_words:
                world.direct(world.now, me.n, peer, me.say("never mind", str(pull.number)))
            else:
                world.forge.unask(world.now, pull, peer)
        yield 10_000 + random.randrange(30_000)
        if pull.state == "open":
            able = [each for each in (first, *others) if world.others_merged(each) < 2]
            world.merge(pull, able[0] if able else me.n)
        if called_off and pull.state == "merged" and pull.merged_by != me.n:
            world.truth.plant("hand_over", world.at, pull=pull.number)
            world.count("hand_over")
    world.busy.difference_update(peers)


def no_hand_over(me: Worker) -> Life:
    """A distractor: several are asked and nobody is called off; or some are before anybody answered; or the author lands it."""
    world, random = me.world, me.random
    peers = world.peers(me.n, 2)
    if len(peers) < 2:
        return
    world.busy.update(peers)
    yield from small_pull(me)
    if (pull := me.latest) is not None:
        yield from _ask_all(me, pull, peers, True)
        way, merger = random.randrange(3), peers[0]
        if way == 1:
            world.direct(world.now, me.n, peers[1], me.say("never mind", str(pull.number)))
            yield 3_000
        yield from _answer(me, pull, peers[0], True)
        if way == 2:
            world.direct(world.now, me.n, peers[1], me.say("never mind", str(pull.number)))
            yield 3_000
            merger = me.n
        yield 10_000
        if pull.state == "open" and world.others_merged(merger) < 2:
            world.merge(pull, merger)
        elif pull.state == "open":
            world.merge(pull, me.n)
    world.busy.difference_update(peers)


def _ask_all(me: Worker, pull: Pull, peers: list[int], by_words: bool) -> Life:
    for peer in peers:
        if by_words:
            me.world.direct(me.world.now, me.n, peer, me.say("integrate", str(pull.number)))
        else:
            me.ask(pull, peer)
        yield 2_000 + me.random.randrange(4_000)


def _answer(me: Worker, pull: Pull, peer: int, by_words: bool) -> Life:
    yield 15_000 + me.random.randrange(60_000)
    if by_words and me.random.random() < 0.6:
        me.world.direct(me.world.now, peer, me.n, me.say("yes", str(pull.number)))
    elif pull.state == "open":
        me.world.forge.review(me.world.now, pull, peer, "approved", me.say("approve"))


def coordinator(me: Worker) -> Life:
    """A worker names sub-tasks to peers, and they claim them; some do something else instead."""
    world, random = me.world, me.random
    count = random.randint(*world.plan.led)
    peers = world.peers(me.n, count + 2)
    if len(peers) < count:
        return
    world.busy.update(peers)
    led = 0
    for peer in peers:
        number = world.fresh_subject()
        world.direct(world.now, me.n, peer, me.say("lead", me.spelled(number)))
        yield 10_000 + random.randrange(100_000)
        follows = led < count and (random.random() < 0.8 or len(peers) - led <= count)
        claim = world.team[peer].claim(number if follows else world.fresh_subject())
        led += follows
        world.spawn(world.now + 60_000, world.team[peer].work(claim, 100_000), peer)
    if led >= count:
        world.truth.plant("coordinator", world.at, worker=me.n, peers=led)
        world.count("coordinator")
    world.busy.difference_update(peers)
