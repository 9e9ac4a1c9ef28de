"""Turns of the same agent on the same instant model: bare over ACP, under the turn loop, and under the loop through the gateway."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

from trajectories.bench.instant import STEPS, instant
from trajectories.bench.programs import cpu_s, environment, memory_mb, service

TURNS, WARM = 20, 3
LONGEST_S = 180.0


async def turns(folder: Path) -> dict[str, Any]:
    """`*_ms` = median of a turn, `*_cpu_ms` = processor time of a turn (worker, agent, gateway; not of the commands it runs);
    `overhead_ms` = what loop and gateway add to it; memory in MB by share, after the turns."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokens.json").write_text(json.dumps({"workers": {"1": "secret"}, "ingest": "ingest"}))
    async with instant() as model:
        bare, bare_cpu = await _bare(folder / "bare", model)
        loop, loop_cpu, memory = await _loop(folder / "loop", model, model, "secret")
        config = {"tokens_file": str(folder / "tokens.json"), "model": "instant", "endpoint": f"{model}/v1"}
        with service("gateway", folder / "gateway", auth="none", **config) as (gateway, pid):
            before = cpu_s(pid)
            both, both_cpu, _ = await _loop(folder / "both", gateway, model, "secret")
            gateway_cpu = (cpu_s(pid) - before) / (WARM + TURNS) * 1000
    return {
        "turns": TURNS,
        "steps": STEPS,
        "bare_ms": bare,
        "loop_ms": loop,
        "loop_gateway_ms": both,
        "bare_cpu_ms": bare_cpu,
        "loop_cpu_ms": loop_cpu,
        "loop_gateway_cpu_ms": round(both_cpu + gateway_cpu, 1),
        "overhead_ms": round(both - bare, 1),
        "overhead_ratio": round(both / bare, 3),
        "memory_mb": memory,
    }


async def _bare(folder: Path, model: str) -> tuple[float, float]:
    """The agent on its own: one prompt after the other over its standard input and output. Median and processor time of a turn, ms."""
    (folder / "home").mkdir(parents=True)
    env = {**environment(), "HOME": str(folder / "home"), "AGENSH_MODEL_URL": f"{model}/v1", "AGENSH_MODEL": "instant"}
    pipe = asyncio.subprocess.PIPE
    agent = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "worker.mini", cwd=folder, env=env, stdin=pipe, stdout=pipe, limit=1 << 24
    )
    assert agent.stdin is not None
    assert agent.stdout is not None
    took, n = list[float](), 0

    async def ask(method: str, **params: Any) -> Any:
        nonlocal n
        n += 1
        line = {"jsonrpc": "2.0", "id": n, "method": method, "params": params}
        agent.stdin.write(json.dumps(line).encode() + b"\n")  # type: ignore[union-attr]
        while True:
            said = json.loads(await agent.stdout.readline())  # type: ignore[union-attr]
            if said.get("id") == n and "method" not in said:
                return said["result"]

    await ask("initialize", protocolVersion=1)
    session = (await ask("session/new", cwd=str(folder), mcpServers=[]))["sessionId"]
    before = 0.0
    for turn in range(WARM + TURNS):
        before = cpu_s(agent.pid) if turn == WARM else before
        began = time.perf_counter()
        await ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go on"}])
        took.append(time.perf_counter() - began)
    spent = cpu_s(agent.pid) - before
    agent.kill()
    await agent.wait()
    return round(statistics.median(took[WARM:]) * 1000, 1), round(spent / TURNS * 1000, 1)


async def _loop(folder: Path, model: str, app: str, token: str) -> tuple[float, float, dict[str, float]]:
    """A worker that is nudged the moment it rests, until it has had its turns. Median and processor time of a turn (worker and agent),
    ms; memory of both, MB."""
    folder.mkdir(parents=True)
    env = {"AGENSH_MODEL_URL": f"{model}/v1", "AGENSH_MODEL": "instant", "AGENSH_MODEL_TOKEN": token}
    file = {"run": "bench", "worker": 1, "life": 1, "name": "w0001", "harness": "mini", "env": env}
    file |= {"command": [sys.executable, "-m", "worker.mini"], "endpoints": {"ingest": app}, "idle_limit_s": 0.01}
    (folder / "worker.json").write_text(json.dumps({**file, "deadline_at": time.time() + LONGEST_S}))
    with (folder / "log.txt").open("ab") as log:
        worker = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "worker",
            "--config",
            folder / "worker.json",
            env=environment(),
            stderr=log,
            stdout=log,
        )
    try:
        begun: tuple[int, float] | None = None
        async for took in _told(folder / "spool" / "1.jsonl", worker):
            if begun is None and len(took) >= WARM:
                begun = len(took), _spent(worker.pid)
            if begun is not None and len(took) >= WARM + TURNS:
                cpu = (_spent(worker.pid) - begun[1]) / (len(took) - begun[0])
                break
        memory = {"worker": memory_mb(worker.pid), "agent": sum(memory_mb(pid) for pid in _children(worker.pid))}
    finally:
        worker.terminate()
        await worker.wait()
    median = statistics.median(took[WARM : WARM + TURNS])
    return round(median, 1), round(cpu * 1000, 1), {name: round(value, 1) for name, value in memory.items()}


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _spent(worker: int) -> float:
    return cpu_s(worker) + sum(cpu_s(pid) for pid in _children(worker))


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
