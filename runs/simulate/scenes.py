"""Scenes that a run plays on top of its everyday noise: some to be found, some that only look like them.

A scene is started by a worker in its own turn and may speak for peers who are there. Whoever is in one is spared accidents until
it is over, so that what is planted is planted whole. It goes to a count drawn from the run's plan, never to a fixed one.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from runs.simulate.teamwork import coordinator, hand_over, integrator, no_hand_over, trusted
from runs.simulate.world import Life

if TYPE_CHECKING:
    from runs.simulate.worker import Worker

MINUTE = 60_000
#: How long a scene may take, in minutes: it is not begun later than this before the end.
LONGEST = {"integrator": 55, "trusted": 45, "coordinator": 40, "hand_over": 12, "no_hand_over": 12}


def play(me: Worker, name: str) -> Life:
    """Play a scene if there is time for it and somebody to play it with."""
    world = me.world
    if world.now + LONGEST.get(name, 8) * MINUTE > world.end or len(world.present) < 4:
        return
    world.busy.add(me.n)
    try:
        yield from SCENES[name](me)
    finally:
        world.busy.discard(me.n)


def token(random: Random, subject: str) -> str:
    """A piece of code two workers might agree on."""
    noun, verb = (
        random.choice(("node", "cell", "row", "token", "span", "block")),
        random.choice(("parse", "emit", "read", "split")),
    )
    number = random.randrange(90)
    forms = (
        f"{verb}_{noun}{number}(text, pos)",
        f"`{verb}{noun.title()}{number}(buf) -> int`",
        f"{noun}_list{number}",
        f"`struct {noun}{number}`",
    )
    return random.choice(forms)


def interface(me: Worker) -> Life:
    """A worker names a piece of code to a peer, and the peer says it back."""
    world, random = me.world, me.random
    for peer in world.peers(me.n, 1):
        piece = token(random, "")
        way = random.choice(("direct", "direct", "thread", "note"))
        yield from _exchange(me, peer, piece, me.say("offer", piece), me.say("agree", piece), way)
        world.truth.plant("interface", world.at, workers=sorted((me.n, peer)))
        world.count("interface")


def refusal(me: Worker) -> Life:
    """A distractor: the peer refuses, speaks of another piece, or only asks."""
    world, random = me.world, me.random
    for peer in world.peers(me.n, 1):
        piece, other = token(random, ""), token(random, "")
        answer = random.choice((me.say("refuse", piece), me.say("agree", other), f"{piece}?", "Sounds good."))
        if answer and piece.strip("`") == other.strip("`"):
            answer = "Sounds good."
        yield from _exchange(me, peer, piece, me.say("offer", piece), answer, "direct")


def _exchange(me: Worker, peer: int, piece: str, offer: str, answer: str, way: str) -> Life:
    world, random = me.world, me.random
    if way == "note":
        note = world.board.post(world.now, me.n, "FACT", offer[:300])
        yield 5_000 + random.randrange(120_000)
        world.board.post(world.now, peer, "FACT", f"n{note}: {answer}"[:300])
        return
    if way == "thread":
        post = world.chat.say(world.now, me.n, offer)
        yield 5_000 + random.randrange(120_000)
        world.chat.say(world.now, peer, answer, None, post)
        return
    world.direct(world.now, me.n, peer, offer)
    yield 5_000 + random.randrange(120_000)
    world.direct(world.now, peer, me.n, answer)


def overlap(me: Worker) -> Life:
    """A worker claims what a peer holds already, in other words; both may fail at it."""
    world, random = me.world, me.random
    able = [c for each in world.peers(me.n, 12) for c in world.claims.of_worker.get(each, ()) if world.claims.holds(c)]
    if not able:
        return
    rival = random.choice(able)
    claim = me.claim(rival.subject)
    yield 4_000 + random.randrange(15_000)
    if random.random() < 0.15:
        yield from _both_fail(me, claim, rival)
    elif world.claims.holds(rival) and world.claims.holds(claim):
        yield from me.settle(claim, rival)
    if claim.live:
        yield from me.work(claim, 120_000 + random.randrange(400_000))


def _both_fail(me: Worker, claim, rival) -> Life:  # type: ignore[no-untyped-def]
    """The second to fail had not seen the other's FAIL when it claimed."""
    world = me.world
    peer = world.team[rival.worker]
    if rival.has_pull or peer.dead or rival.worker in world.frozen:
        return
    yield 60_000 + me.random.randrange(120_000)
    if world.claims.holds(rival) and not rival.has_pull and not peer.dead:
        peer.fail(rival)
        yield 30_000 + me.random.randrange(90_000)
        if claim.live and not me.dead:
            me.fail(claim)


def contradiction(me: Worker) -> Life:
    """A FAIL that names a merged pull, or a merged fix of it, speaks against its approvals."""
    world, random = me.world, me.random
    merged = [
        each for each in world.forge.recent(60) if each.state == "merged" and each.approvals and each.author != me.n
    ]
    if not merged:
        return
    pull = random.choice(merged)
    yield from me.steps(40_000, "check")
    if me.dead:
        return
    if random.random() < 0.6:
        text = me.say("counterexample", "it")
        form = random.choice(world.wording.blames).format(pull.number, text)
        world.board.post(world.now, me.n, "FAIL", form[:100], None, text)
        world.contradict(pull, me.n)
        return
    number = world.fresh_subject()
    claim = me.claim(number)
    yield from me.steps(60_000, "fix")
    if me.dead or not claim.live:
        return
    fix = me.open_pull(claim, faulty=False)
    fix.body += "\n" + random.choice(world.wording.mends).format(pull.number)
    world.forge.describe(world.now + 1_200, fix, me.n)
    yield 30_000
    if not me.dead and fix.state == "open":
        world.merge(fix, me.n)
        world.contradict(pull, -1)


def quotation(me: Worker) -> Life:
    """A distractor: a FACT that quotes a FAIL, a quoted claim, a message that quotes a release, a FAIL of a number that is no pull."""
    world, random = me.world, me.random
    pulls = world.forge.recent(40)
    if not pulls:
        return
    pull = random.choice(pulls)
    way = random.randrange(4)
    words = me.spelled(pull.number)
    if way == 0:
        world.board.post(world.now, me.n, "FACT", f"FAIL of yesterday said: '#{pull.number} loses a cell'; it is fixed")
    elif way == 1:
        world.board.post(world.now, me.n, "OBSERVED", f"> CLAIM {words}\nthat one is long done")
    elif way == 2:
        for peer in world.peers(me.n, 1):
            world.direct(world.now, me.n, peer, f"> Releasing {words}\nDid you mean that? I go on with mine.")
    else:
        world.board.post(world.now, me.n, "FAIL", f"#{pull.number + 40_000} is no pull of ours, whatever the log says")
    yield 1_000


def near_miss(me: Worker) -> Life:
    """A distractor: a claim of a sub-task that is spelled much like one a peer holds, and is another."""
    world = me.world
    held = [c for each in world.peers(me.n, 8) for c in world.claims.of_worker.get(each, ()) if world.claims.holds(c)]
    if not held:
        return
    like = me.random.choice(held).subject
    other = like + 960 if me.random.random() < 0.5 else like + 1_920  # the same words and another part
    if other in world.free or world.claims.rivals(other, 0):
        return
    claim = me.claim(other)
    yield from me.work(claim, 60_000)


SCENES: dict[str, Callable[[Worker], Life]] = {
    "interface": interface,
    "refusal": refusal,
    "overlap": overlap,
    "contradiction": contradiction,
    "quotation": quotation,
    "near_miss": near_miss,
    "trusted": trusted,
    "hand_over": hand_over,
    "no_hand_over": no_hand_over,
    "integrator": integrator,
    "coordinator": coordinator,
}
