"""Can a stack be launched here? The launcher asks the engine and leaves the answer in a file; everybody else reads that.

So the form's preflight, the API and `doctor` know it without touching the Docker socket.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runs.backends.compose import images
from runs.backends.compose.stack import APPS_NETWORK, SERVICE_MEMORY
from runs.backends.files import read_json, write_json

FILE = "engine.json"
STALE_S = 120
WORKER_MEMORY = {"mini": 180 << 20}  # what a worker takes, measured; its ceiling is no reservation
OTHER_MEMORY = 420 << 20
BUILD = "make images (docker/README.md says how to build without a registry)"
Row = tuple[str, bool, str, str]  # name, fit, what is the case, what to do


def report(data: Path) -> dict[str, Any]:
    """Ask the engine and leave the answer. Called by the launcher alone."""
    from runs.backends.compose import composing, engine

    facts: dict[str, Any] = {"at": time.time(), "error": ""}
    try:
        facts |= engine.facts(images.every(), APPS_NETWORK)
        facts["compose"] = composing.version()
    except (engine.EngineError, composing.ComposeError, OSError) as problem:
        facts["error"] = str(problem)[:300]
    write_json(data / FILE, facts, 0o644)
    return facts


def rows(data: Path, harnesses: Mapping[str, int], app_url: str, moment: float) -> list[Row]:
    """One row a question, good ones included."""
    facts = read_json(data / FILE)
    if not app_url:
        return [
            (
                "app address",
                False,
                "AGENSH_URL is not set",
                "start the app itself with docker compose; see docker/README.md",
            )
        ]
    if not facts or moment - facts["at"] > STALE_S:
        return [
            ("launcher", False, "it has not reported Docker Engine", "start the launcher: docker compose up launcher")
        ]
    if facts["error"]:
        return [("engine", False, facts["error"], "start Docker Engine and give the launcher its socket")]
    return [*_engine(facts), *_images(facts), *_clis(facts, harnesses), _memory(facts, harnesses)]


def _engine(facts: Mapping[str, Any]) -> Iterator[Row]:
    yield "engine", True, f"Docker Engine {facts['version']}", ""
    fit = tuple(int(part) for part in facts["compose"].split(".")[:2] if part.isdigit()) >= (2, 20)
    yield "compose", fit, f"Compose {facts['compose']}", "" if fit else "install Compose 2.20 or newer"
    old = facts["cgroup"] != "2"
    text = f"cgroup v{facts['cgroup']}, {facts['driver']}"
    yield "cgroup", True, f"{text}: works, version 2 is the better kept one" if old else text, ""
    lacking = [name for name in ("memory_limit", "pids_limit", "cpu_quota") if not facts[name]]
    fix = "boot the host with cgroup_enable=memory swapaccount=1" if lacking else ""
    yield "limits", not lacking, f"{', '.join(lacking)} not supported" if lacking else "memory, processes, CPU", fix
    there = facts["network"]
    yield (
        "network",
        there,
        APPS_NETWORK if there else f"{APPS_NETWORK} is missing",
        "" if there else "docker compose up -d",
    )


def _images(facts: Mapping[str, Any]) -> Iterator[Row]:
    missing = [name for name in images.every() if not facts["images"].get(name)]
    if missing:
        yield "images", False, f"{', '.join(missing)} not on this engine", BUILD
    else:
        yield "images", True, ", ".join(images.every()), ""


def _clis(facts: Mapping[str, Any], harnesses: Mapping[str, int]) -> Iterator[Row]:
    """`mini` is in every worker image; the others must be named by the image's label `agensh.clis`."""
    image = images.of("worker")
    held = (facts["images"].get(image) or {}).get("clis") or []
    lacking = sorted(set(harnesses) - {"mini"} - set(held))
    if lacking:
        yield "agent CLIs", False, f"{image} holds no {', '.join(lacking)}", "choose harness mini, or backend local"


def _memory(facts: Mapping[str, Any], harnesses: Mapping[str, int]) -> Row:
    need = sum(SERVICE_MEMORY.values()) // 4
    need += sum(WORKER_MEMORY.get(name, OTHER_MEMORY) * count for name, count in harnesses.items())
    free = int(facts["memory_free"])
    text = f"{free / 2**30:.1f} GiB available, about {need / 2**30:.1f} GiB needed"
    return "memory", free >= need, text, "" if free >= need else "launch fewer workers, or on a bigger host"
