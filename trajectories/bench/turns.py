"""Turns of each harness on the same scripted model with the same prompt: bare over ACP, under the turn loop, and through the gateway too."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from runs import clis
from runs.harnesses import HARNESSES, harness
from runs.plan import worker_spec
from runs.spec import Command, RunSpec
from trajectories.bench.agents import Bare, filled
from trajectories.bench.instant import taking
from trajectories.bench.programs import DOCKER, cpu_s, environment, memory_mb, service

TURNS, WARM, STEPS = 10, 2, 5
LONGEST_S = 300.0
PROMPT = "Go on."
TASK = DOCKER / "tasks" / "rill"


async def turns(folder: Path) -> dict[str, Any]:
    """For each harness that is installed: `*_ms` = median of a turn, `*_cpu_ms` = processor time of a turn (worker, agent, gateway; not of
    the commands it runs); `overhead_ms` = what loop and gateway add to it; memory in MB by share, after the turns. No sandbox on any side."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokens.json").write_text(json.dumps({"workers": {"1": "secret"}, "ingest": "ingest"}))
    (folder / "secret").write_text("secret")
    told: dict[str, Any] = {"turns": TURNS, "steps": STEPS}
    model = service("standins.model", folder / "model", task_dir=str(TASK), seed=1, think_ms=0, steps=STEPS)
    async with taking() as app:
        with model as (url, _):
            config = {"tokens_file": str(folder / "tokens.json"), "model": "scripted", "endpoint": f"{url}/v1"}
            with service("gateway", folder / "gateway", auth="none", **config) as (gateway, pid):
                for name in HARNESSES:
                    why = clis.fault(name)
                    told[name] = {"left_out": why} if why else await _of(name, folder / name, app, url, gateway, pid)
    return told


async def _of(name: str, folder: Path, app: str, model: str, gateway: str, gateway_pid: int) -> dict[str, Any]:
    bare = await _bare(name, folder / "bare", model)
    loop = await _loop(name, folder / "loop", model, app)
    before = cpu_s(gateway_pid)
    both = await _loop(name, folder / "both", gateway, app)
    gateway_cpu = (cpu_s(gateway_pid) - before) / (WARM + TURNS) * 1000
    return {
        "bare_ms": bare.ms,
        "loop_ms": loop.ms,
        "loop_gateway_ms": both.ms,
        "bare_cpu_ms": bare.cpu_ms,
        "loop_cpu_ms": loop.cpu_ms,
        "loop_gateway_cpu_ms": round(both.cpu_ms + gateway_cpu, 1),
        "overhead_ms": round(both.ms - bare.ms, 1),
        "overhead_ratio": round(both.ms / bare.ms, 3),
        "memory_mb": {"worker": both.worker_mb, "agent": both.agent_mb, "bare_agent": bare.agent_mb},
    }


@dataclass(frozen=True)
class Measured:
    """Medians of a turn, and memory after the last."""

    ms: float
    cpu_ms: float
    agent_mb: float
    worker_mb: float = 0.0


def _command(name: str, model: str) -> Command:
    spec = RunSpec(name="bench", workers=1, harnesses=((name, 1),), model="scripted")
    installed = {"cli": str(clis.folder()), "platform": clis.node_platform()}
    command: Command = harness(name).command(worker_spec(spec, 1, "w0001", f"{model}/v1", **installed))
    return command


async def _bare(name: str, folder: Path, model: str) -> Measured:
    """The agent on its own: one prompt after the other over its standard input and output."""
    (folder / "home").mkdir(parents=True)
    command = _command(name, model)
    env = {**environment(), "HOME": str(folder / "home"), **filled(command.env, "secret")}
    async with Bare.started(command, env, folder) as agent:
        took, before = list[float](), 0.0
        for turn in range(WARM + TURNS):
            before = _spent(agent.pid) if turn == WARM else before
            began = time.perf_counter()
            await agent.prompt(PROMPT)
            took.append((time.perf_counter() - began) * 1000)
        spent = _spent(agent.pid) - before
        memory = sum(memory_mb(pid) for pid in family(agent.pid))
    return Measured(round(statistics.median(took[WARM:]), 1), round(spent / TURNS * 1000, 1), round(memory, 1))


async def _loop(name: str, folder: Path, model: str, app: str) -> Measured:
    """A worker that is nudged the moment it rests, until it has had its turns."""
    folder.mkdir(parents=True)
    (folder / "prompt.md").write_text(PROMPT)
    command = _command(name, model)
    file = {"run": "bench", "worker": 1, "life": 1, "name": "w0001", "harness": name, "env": dict(command.env)}
    file |= {"command": list(command.argv), "session_mode": command.session_mode, "endpoints": {"ingest": app}}
    file |= {"idle_limit_s": 0.01, "prompt_file": str(folder / "prompt.md")}
    file |= {"token_files": {"model": str(folder.parents[1] / "secret")}, "deadline_at": time.time() + LONGEST_S}
    (folder / "worker.json").write_text(json.dumps(file))
    with (folder / "log.txt").open("ab") as log:
        words = (sys.executable, "-m", "worker", "--config", str(folder / "worker.json"))
        worker = await asyncio.create_subprocess_exec(*words, env=environment(), stderr=log, stdout=log)
    try:
        begun: tuple[int, float] | None = None
        async for took in _told(folder / "spool" / "1.jsonl", worker):
            if begun is None and len(took) >= WARM:
                begun = len(took), _spent(worker.pid)
            if begun is not None and len(took) >= WARM + TURNS:
                cpu = (_spent(worker.pid) - begun[1]) / (len(took) - begun[0])
                break
        own, *rest = family(worker.pid)
        memory = memory_mb(own), sum(memory_mb(pid) for pid in rest)
    finally:
        worker.terminate()
        await worker.wait()
    median = statistics.median(took[WARM : WARM + TURNS])
    return Measured(round(median, 1), round(cpu * 1000, 1), round(memory[1], 1), round(memory[0], 1))


def family(pid: int) -> list[int]:
    """A process and all below it that live."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in family(int(child)))]


def _spent(pid: int) -> float:
    return sum(cpu_s(each) for each in family(pid))


async def _told(spool: Path, worker: asyncio.subprocess.Process) -> AsyncIterator[list[float]]:
    """The length of every turn so far (ms), by what the worker wrote down itself."""
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end and worker.returncode is None:
        lines = spool.read_text().splitlines() if spool.exists() else []
        said = [json.loads(line) for line in lines if '"turn.' in line and line.endswith("}")]
        at = {name: [_ms(item["at"]) for item in said if item["msg"].get("kind") == name] for name in _ENDS}
        yield [b - a for a, b in zip(at[_ENDS[0]], at[_ENDS[1]], strict=False)]
        await asyncio.sleep(0.3)
    raise RuntimeError(f"the worker had no {TURNS} turns: see {spool.parent.parent / 'log.txt'}")


_ENDS = ("turn.started", "turn.finished")


def _ms(at: str) -> float:
    return datetime.fromisoformat(at).timestamp() * 1000
