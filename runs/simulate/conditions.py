"""The published conditions around the team: ramp, ticks, checkpoints, reminders, a node that dies, workers that stall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runs.simulate.curve import TESTS, passed
from runs.simulate.world import Life, World

if TYPE_CHECKING:
    from runs.simulate.worker import Worker

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


def join_at(world: World, number: int) -> int:
    """One worker every 30 s in the first hour, then one every 3 s; squeezed when the run is short."""
    slow = min(number - 1, 120) * 30 * SECOND
    fast = max(0, number - 1 - 120) * 3 * SECOND
    squeeze = min(1.0, (world.end - world.start) / (6 * HOUR))
    return world.start + 5 * SECOND + int((slow + fast) * squeeze)


def ticks(world: World) -> Life:
    """`run.ticked` every 10 s."""
    while True:
        world.run_event("run.ticked")
        yield 10 * SECOND


def checkpoints(world: World, every: int) -> Life:
    """A score every `every` ms, on the published curve."""
    length, number = (world.end - world.start) / MINUTE, 0
    while True:
        yield every
        number += 1
        minutes = (world.now - world.start) / MINUTE
        good = passed(world.workers, minutes, length)
        facts = {"checkpoint": number, "at_s": round(minutes * 60), "commit": world.forge.heads.get("main", "0" * 40)}
        facts |= {"passed": good, "total": TESTS, "not_run": 0, "error_code": None}
        world.run_event("checkpoint.scored", **facts, evaluator="simulated", took_ms=41_000)


def reminders(world: World, team: dict[int, Worker], minutes_left: int) -> Life:
    """Everybody is told the time left; a burst of posts follows."""
    yield max(1, world.end - minutes_left * MINUTE - world.now)
    for number in sorted(world.present):
        if number not in world.gone:
            team[number].tap.note(world.now, "reminder.sent", minutes_left=minutes_left)
            if world.random.random() < 0.15:
                world.chat.say(
                    world.now + world.random.randrange(60_000), number, f"{minutes_left} min left: landing mine."
                )


def accidents(world: World, team: dict[int, Worker]) -> Life:
    """Crashes (about one worker in 150 an hour), most restarted under the next life; stalls that the monitor sees."""
    while True:
        yield max(1, int(world.random.expovariate(world.workers / (150 * HOUR) * 2)))
        spared = world.gone | world.busy | world.frozen
        alive = [each for each in world.present if each not in spared]
        if not alive:
            continue
        victim = team[world.random.choice(alive)]
        if world.random.random() < 0.5:
            crash(world, victim)
        else:
            world.frozen.add(victim.n)
            world.spawn(world.now + 1, stall(world, victim))


def crash(world: World, victim: Worker) -> None:
    """The process dies; six in ten come back."""
    oom = world.random.random() < 0.4
    victim.die(137 if oom else 1, 9 if oom else None, oom)
    world.count("crashed")
    if world.random.random() < 0.6:
        world.team[victim.n] = victim.reborn()
        world.spawn(world.now + 30 * SECOND, world.team[victim.n].life(), victim.n)


def stall(world: World, victim: Worker) -> Life:
    """A worker does nothing for a while; after ten minutes the monitor calls it silent, and what it holds is lost."""
    since = world.now
    world.count("stalled")
    yield 10 * MINUTE
    if victim.n in world.gone:
        world.frozen.discard(victim.n)
        return
    world.run_event("worker.silent", worker=victim.n, since=since)
    for claim in list(world.claims.of_worker.get(victim.n, ())):
        world.claims.lose(claim, "abandoned")
    yield 4 * MINUTE + world.random.randrange(20 * MINUTE)
    if victim.n not in world.gone:
        world.run_event("worker.heard", worker=victim.n)
    world.frozen.discard(victim.n)


def node_dies(world: World, team: dict[int, Worker]) -> Life:
    """One of several nodes is lost after 61 % of the time, with everybody on it."""
    if world.nodes < 2:
        return
    yield int((world.end - world.start) * 0.61)
    node = 1 + world.random.randrange(world.nodes)
    world.run_event("node.lost", node=f"node {node:02d}")
    for number in sorted(world.present):
        if world.node_of(number) == node and number not in world.gone:
            team[number].die(137, 9, False)
