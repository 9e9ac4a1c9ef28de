"""What a local run starts, as plain documents: service configurations, worker files, when each worker joins. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runs.spec import GIB, Command, RunSpec, WorkerSpec

ADMIN = "agensh"
OWNER = "team"
TEAM, CHANNEL = "agensh", "team"
GATE_S = 3  # workers behind the gate get ready for so long, then begin together
HEALTH = {
    "board": "/health",
    "forge": "/api/healthz",
    "chat": "/api/v4/system/ping",
    "model": "/health",
    "gateway": "/health",
}
MODULES = {
    "board": "board",
    "forge": "standins.forge",
    "chat": "standins.chat",
    "model": "standins.model",
    "gateway": "gateway",
}


def service_names(spec: RunSpec) -> list[str]:
    """The services of this run: a baseline has neither board nor chat, a real model needs no scripted one; all have a gateway."""
    names = ["board", "forge", "chat"] if spec.peers else ["forge"]
    return [*names, "model", "gateway"] if spec.scripted else [*names, "gateway"]


def service_config(name: str, spec: RunSpec, folder: Path, listening: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration file of a service; `listening` says where it listens, as the backend has it."""
    place, secrets = folder / "services" / name, folder / "secrets"
    common = {**listening, "data_dir": str(place), "ready_file": str(place / "ready.json")}
    own: dict[str, dict[str, Any]] = {
        "board": {"tokens_file": str(place / "tokens.json"), "claim_ttl_s": spec.claim_ttl_s},
        "forge": {"admin": {"username": ADMIN, "password_file": str(secrets / "forge_admin")}},
        "chat": {"admin": {"username": ADMIN, "password_file": str(secrets / "chat_admin")}},
        "model": {"seed": spec.seed},
        "gateway": {},
    }
    return {**common, **own[name]}


def service_process(name: str, folder: Path, env: Mapping[str, str]) -> dict[str, Any]:
    """The supervisor's line for a service."""
    place = folder / "services" / name
    return {
        "proc": name,
        "service": True,
        "argv": [sys.executable, "-m", MODULES[name], "--config", str(place / "config.json")],
        "env": dict(env),
        "cwd": str(place),
        "log": str(place / "log.txt"),
    }


def worker_spec(spec: RunSpec, n: int, name: str, model_url: str, **installed: str) -> WorkerSpec:
    """Worker n of the run, as its harness sees it; `installed` = `cli` and `platform`, where the CLIs of npm are."""
    return WorkerSpec(
        n=n,
        name=name,
        harness=spec.harness_of(n),
        model=spec.model,
        model_url=model_url,
        effort=spec.effort,
        permissions=spec.permissions,
        input_tokens=spec.input_tokens,
        output_tokens=spec.output_tokens,
        memory_bytes=spec.memory_gib * GIB,
        joins_at=spec.joins_at(n),
        **installed,
    )


def worker_process(
    worker: WorkerSpec, life: int, folder: Path, env: Mapping[str, str], start_at: int = 0
) -> dict[str, Any]:
    """The supervisor's line for one life of a worker; `start_at` in ms, 0 = now."""
    place = folder / "workers" / worker.name
    return {
        "proc": worker.name,
        "life": life,
        "argv": [sys.executable, "-m", "worker", "--config", str(place / "worker.json")],
        "env": dict(env),
        "cwd": str(place),
        "log": str(place / "log.txt"),
        "memory_bytes": worker.memory_bytes,
        "start_at": start_at,
    }


def worker_file(
    worker: WorkerSpec,
    command: Command,
    *,
    run: str,
    life: int,
    folder: Path,
    task: Mapping[str, str],
    endpoints: Mapping[str, Any],
    token_files: Mapping[str, str],
    start_at: str,
    deadline_at: str,
    spec: RunSpec,
    prompt: Path,
    env: Mapping[str, str],
) -> dict[str, Any]:
    """`worker.json`: all that one life of a worker is told."""
    place = folder / "workers" / worker.name
    return {
        "run": run,
        "worker": worker.n,
        "life": life,
        "name": worker.name,
        "command": list(command.argv),
        "env": {**env, **command.env},
        "cwd": str(place / "work"),
        "home": str(place / "home"),
        "spool_dir": str(place / "spool"),
        "harness": worker.harness,
        "session_mode": command.session_mode,
        # each time anew: what is allowed for good is not asked again, and so not recorded
        "permissions": "allow" if worker.permissions == "all" else "allow_once",
        "prompt_file": str(prompt),
        "task": task["name"],
        "title": task["title"],
        "task_folder": str(folder / "task"),
        "endpoints": dict(endpoints),
        "token_files": dict(token_files),
        "limits": {
            "input_tokens": worker.input_tokens,
            "output_tokens": worker.output_tokens,
            "memory_bytes": worker.memory_bytes,
        },
        "start_at": start_at,
        "deadline_at": deadline_at,
        "reminders_s": list(spec.reminders_s),
        "idle_limit_s": spec.idle_limit_s,
    }
