"""Puts the model together: roster, run events, lives, manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from runs.simulate import conditions
from runs.simulate.bundle import Bundle, iso
from runs.simulate.wording import WORDINGS
from runs.simulate.worker import Worker
from runs.simulate.world import World

START = 1_795_942_800_000  # 2026-11-29T09:00:00Z


@dataclass(frozen=True)
class Facts:
    """What was written: lines per source and how often each planted thing happened."""

    lines: dict[str, int]
    happenings: dict[str, int]


def simulate(
    workers: int,
    hours: float,
    seed: int,
    out: Path,
    told: Callable[[float], None] = lambda share: None,
    planted: Path | None = None,
    wording: str = "plain",
) -> Facts:
    """Write a bundle of a simulated run, equal for equal arguments. Raises ValueError naming the argument out of range.

    `told` hears now and then which share of the run's time is written. `planted` names a file for what was planted: the
    ground truth, beside the bundle and never in it. `wording` is one of `WORDINGS`: how this team writes.
    """
    if not 1 <= workers <= 65_535:
        raise ValueError("--workers must be from 1 to 65535")
    if wording not in WORDINGS:
        raise ValueError(f"--wording must be one of {', '.join(WORDINGS)}")
    if not 0.01 <= hours <= 168:
        raise ValueError("--hours must be from 0.01 to 168")
    bundle, end = Bundle(out), START + int(hours * 3_600_000)
    world = World(
        bundle, Random(seed), workers, max(1, -(-workers // 64)), START, end, now=START, wording=WORDINGS[wording]
    )
    spec = describe(world, hours, seed)
    enroll(world, spec)
    world.team = team = {number: Worker(world, number) for number in range(1, workers + 1)}
    world.forge.push(START, 1, "main", "Seed the repository")
    for number, worker in team.items():
        world.spawn(conditions.join_at(world, number), worker.life(), number)
    every = spec["checkpoint_s"] * 1000
    world.spawn(START, conditions.checkpoints(world, every))  # the last score is that of the last moment
    for life in (conditions.ticks(world), conditions.accidents(world, team)):
        world.spawn(START + 1, life)
    world.spawn(START, conditions.node_dies(world, team))
    for left in (45, 5):
        if hours * 60 > left:
            world.spawn(START, conditions.reminders(world, team, left))
    world.play(told)
    finish(world, team)
    manifest = {"format": "agensh-run", "version": 1, "origin": "simulated", "scripted": False, "run": spec}
    provenance = {"written_by": "simulate_run", "workers": workers, "hours": hours, "seed": seed}
    bundle.close({**manifest, "started_at": iso(START), "ended_at": iso(end), "provenance": provenance})
    if planted is not None:
        world.truth.write(planted, **provenance)
    return Facts(dict(sorted(bundle.lines.items())), dict(sorted(world.counts.items())))


def describe(world: World, hours: float, seed: int) -> dict[str, Any]:
    """The spec the run would have been launched with."""
    spec: dict[str, Any] = {"slug": f"simulated-{world.workers}-s{seed}", "task": "pandoc", "workers": world.workers}
    spec |= {"name": f"pandoc, {world.workers:,} workers (simulated)", "harnesses": "copilot", "model": "gpt-5.6-sol"}
    length = int(hours * 3600)
    spec |= {"effort": "high", "backend": "swarm", "nodes": world.nodes, "duration_s": length, "seed": seed}
    window = 3600 if length > 7200 else length // 2
    return spec | {
        "claim_ttl_s": 3600,
        "idle_limit_s": 600,
        "role_window_s": window,
        "checkpoint_s": min(1800, length // 4),
    }


def enroll(world: World, spec: dict[str, Any]) -> None:
    """Roster and nodes before the clock starts."""
    for k in range(world.nodes):
        world.run_event("node.joined", at=world.start - 20_000, node=f"node {k + 1:02d}")
    for number in range(1, world.workers + 1):
        name = f"w{number:04d}"
        facts: dict[str, Any] = {"worker": number, "name": name, "node": f"node {world.node_of(number):02d}"}
        facts |= {"harness": "copilot", "model": spec["model"], "gitea_login": name, "gitea_id": 100 + number}
        facts |= {"mattermost_username": name, "mattermost_id": f"user{number:022d}"}
        world.run_event("worker.enrolled", at=world.start - 10_000, **facts)
    world.run_event("run.started", at=world.start, **spec)


def finish(world: World, team: dict[int, Worker]) -> None:
    """The deadline: everybody stops, as expected."""
    world.now = world.end
    world.run_event("run.phase_changed", phase="stopping")
    for number in sorted(world.present):
        team[number].tap.ship()
        if number not in world.gone:
            life = team[number].tap.life
            world.run_event("worker.exited", worker=number, life=life, code=0, signal=None, oom=False, expected=True)
    world.run_event("run.ended", outcome="ended", reason="The time is up.")
