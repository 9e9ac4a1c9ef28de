"""Stacks on Docker Engine: up, cancel and down of 8, 64 and 128 workers through the backend, beside a bare `docker compose up` and `down`
of the same document; and how late a real team's deliveries are stored, source by source. Measured in the launcher of a production stack."""

from __future__ import annotations

import json
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from runs.backends import compose as backend
from runs.backends.compose import composing, engine
from runs.backends.compose.stack import Stack, program_of, project_name, render
from runs.backends.files import read_json, read_lines, write_json
from runs.launch import create_run
from runs.models import Run
from runs.presets import PRESETS
from runs.validation import parse_spec
from trajectories.bench.chromium import quantiles
from trajectories.bench.production import production
from trajectories.models import Delivery

COUNTS = (8, 64, 128)
LONGEST_S, TEAM_S, ALL_S = 600, 900, 1_800
PYTHON = "/opt/agensh/venv/bin/python"
IDLE = "import signal; signal.signal(signal.SIGTERM, lambda *_: exit()); signal.pause()"


def compose() -> dict[str, Any]:
    """`stacks` by number of idle workers, with a real board: seconds of `up`, `down` and of a `cancel` in the middle of an `up`, `bare_*` those
    of plain Compose; `lag` of a real team. Where no production stack is around, one is started for it."""
    try:
        engine.facts([], backend.network())
        composing.version()
        if not settings.APP_URL:
            with production() as stack:
                return dict(json.loads(stack.inside("launcher", "bench", "compose", "--json", seconds=ALL_S)))
    except (engine.EngineError, composing.ComposeError, RuntimeError, OSError) as fault:
        return {"measured": False, "why": str(fault)}
    return {"measured": True, "lag": _lag(), "stacks": {count: _stack(count) for count in COUNTS}}


def _stack(count: int) -> dict[str, Any]:
    """The same stack three times: broken off, whole, then by one bare call. Nothing of it is left."""
    cancel = _standing(count, _cancelled)
    whole = _standing(count, _whole)
    return {**cancel, **whole, "up_ratio": round(whole["up_s"] / whole["bare_up_s"], 2)}


def _standing(count: int, measured: Callable[[Path, list[dict[str, Any]]], dict[str, Any]]) -> dict[str, Any]:
    """What is measured on the folder of a run that is only a board and idle workers."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.DATA_DIR) as data:
        folder = Path(data) / "runs" / "bench"
        place = folder / "services" / "board"
        place.mkdir(parents=True)
        Path(data).chmod(0o755)
        write_json(place / "tokens.json", {"workers": {}, "ingest": secrets.token_hex(16)}, 0o644)
        listening = {"host": "0.0.0.0", "port": 8000, "ready_file": str(place / "ready.json")}  # noqa: S104
        told = {**listening, "data_dir": str(place), "tokens_file": str(place / "tokens.json"), "claim_ttl_s": 60}
        write_json(place / "config.json", told, 0o644)
        for path in (folder, place):
            path.chmod(0o777)
        board = _process("board", place, ["-m", "board", "--config", str(place / "config.json")])
        backend.write_plan(folder, 1, [board], int((time.time() + 2 * LONGEST_S) * 1000))
        workers = [_worker(folder, n) for n in range(1, count + 1)]
        try:
            return measured(folder, workers)
        finally:
            backend.kill(folder)


def _whole(folder: Path, workers: list[dict[str, Any]]) -> dict[str, Any]:
    up, down = _seconds(lambda: _up(folder, workers, len(workers))), _seconds(lambda: _down(folder))
    return {"up_s": up, "down_s": down, **_bare(folder)}


def _cancelled(folder: Path, workers: list[dict[str, Any]]) -> dict[str, float]:
    """From the word to nothing left, said when half of the workers are up."""
    _up(folder, workers, len(workers) // 2)
    return {"cancel_s": _seconds(lambda: _down(folder))}


def _process(name: str, place: Path, words: list[str]) -> dict[str, Any]:
    return {"proc": name, "argv": [PYTHON, *words], "cwd": str(place), "env": backend.environment(place)}


def _worker(folder: Path, n: int) -> dict[str, Any]:
    place = folder / "workers" / f"w{n:04d}"
    place.mkdir(parents=True)
    (folder / "task").mkdir(exist_ok=True)
    return {**_process(place.name, place, ["-c", IDLE]), "life": 1, "memory_bytes": 64 << 30}


def _up(folder: Path, workers: list[dict[str, Any]], enough: int) -> None:
    """Until the board answers and so many workers are said to have started."""
    for worker in workers:
        backend.start(folder, worker)
    backend.ensure_supervisor(folder)
    waited, started = 0, set()
    end = time.monotonic() + LONGEST_S
    while len(started) <= enough or read_json(folder / "services/board/ready.json") is None:
        lines, waited = read_lines(folder / "status.jsonl", waited)
        started |= {line["proc"] for line in lines if line["state"] == "started" and line["proc"] != "supervisor"}
        if (why := backend.fault(folder)) or time.monotonic() > end:
            raise RuntimeError(why or f"{len(started)} of {len(workers) + 1} started")
        time.sleep(0.05)


def _down(folder: Path) -> None:
    backend.command(folder, "end")
    while not backend.ended(folder):
        time.sleep(0.05)


def _bare(folder: Path) -> dict[str, Any]:
    """Plain Compose on the document that the backend would have rendered in one piece."""
    plan = read_json(folder / "plan.json")
    lines, _ = read_lines(folder / "commands.jsonl", 0, 1 << 30)
    programs = [*plan["services"], *(line["program"] for line in lines if line["command"] == "start")]
    file, project = folder / "bare.json", project_name(plan["site"], 1)
    file.write_text(json.dumps(render(Stack(plan["site"], 1, tuple(map(program_of, programs)), plan["network"]))))
    call = [*composing.program(), "--project-name", project, "--file", str(file)]
    up = _seconds(lambda: _run([*call, "up", "--detach"]))
    down = [*call, "down", "--timeout", "1"]
    try:
        return {"bare_up_s": up, "bare_down_s": _seconds(lambda: _run(down))}
    except (
        RuntimeError
    ) as fault:  # seen on a machine with 48 waiting for two cores: Compose gives up where the backend goes on
        _run(down)
        return {"bare_up_s": up, "bare_down_s": None, "bare_down_refused": str(fault)}


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[-3:]}: {done.stderr.strip()[-500:]}")


def _seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return round(time.monotonic() - began, 1)


def _lag() -> dict[str, Any]:
    """p50 and p95 in ms from a delivery's own time to when it was stored. An ACP batch has the time of its first item."""
    run, _ = create_run(parse_spec({"task": "rill", "backend": "compose", "name": "Measured"}, PRESETS["demo"].spec))
    end = time.monotonic() + TEAM_S
    while not run.is_final and time.monotonic() < end:
        time.sleep(1)
        run.refresh_from_db()
    return {"measured": True, "run": run.slug, "status": run.status, "sources": lag_of(run)}


def lag_of(run: Run) -> dict[str, dict[str, Any]]:
    """By source: how many deliveries, and quantiles of their lag."""
    found: dict[str, list[int]] = {}
    rows = Delivery.objects.filter(run=run).values_list("source", "at", "received_at")
    for source, at, received_at in rows.iterator():
        found.setdefault(source, []).append(max(0, received_at - at))
    return {source: {"deliveries": len(lags), **quantiles(lags)} for source, lags in sorted(found.items())}
