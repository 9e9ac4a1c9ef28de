"""Can a stack be launched here? The launcher asks the engine and leaves the answer in a file; everybody else reads that.

So the form's preflight, the API and `doctor` know it without touching the Docker socket.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runs.backends.compose import images, network
from runs.backends.files import read_json, write_json
from runs.harnesses import need as harnesses_need

FILE = "engine.json"
STALE_S = 120
SERVICES_MIB, REAL_MIB = 400, 700  # a team's services, measured with room to spare; real ones and their database beside
BUILD = "make images for agensh/*, docker pull for the others; AGENSH_FORGE_IMAGE and AGENSH_CHAT_IMAGE may name agensh/standins (docker/README.md)"
CLOCK_S = 5
LOGS_BYTES = 12 << 20  # what one container may write to its log, and what the engine keeps of it beside
DISK_BYTES = 2 << 30
Row = tuple[str, bool, str, str]  # name, fit, what is the case, what to do


def report(data: Path) -> dict[str, Any]:
    """Ask the engine and leave the answer. Called by the launcher alone."""
    from runs.backends.compose import composing, engine

    facts: dict[str, Any] = {"at": time.time(), "error": ""}
    try:
        facts |= engine.facts(images.every(), network())
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
    room = [_memory(facts, harnesses), _disk(facts, sum(harnesses.values())), _networks(facts)]
    return [*_engine(facts), *_images(facts), *_clis(facts, harnesses), *room]


def _engine(facts: Mapping[str, Any]) -> Iterator[Row]:
    yield "engine", True, f"Docker Engine {facts['version']}", ""
    fit = tuple(int(part) for part in facts["compose"].split(".")[:2] if part.isdigit()) >= (2, 20)
    yield "compose", fit, f"Compose {facts['compose']}", "" if fit else "install Compose 2.20 or newer"
    old = facts["cgroup"] != "2"
    text = f"cgroup v{facts['cgroup']}, {facts['driver']}"
    fix = "boot the host with systemd.unified_cgroup_hierarchy=1" if old else ""
    yield "cgroup", True, f"{text}: works, version 2 is the better kept one" if old else text, fix
    lacking = [name for name in ("memory_limit", "pids_limit", "cpu_quota") if not facts[name]]
    fix = "boot the host with cgroup_enable=memory swapaccount=1" if lacking else ""
    yield "limits", not lacking, f"{', '.join(lacking)} not supported" if lacking else "memory, processes, CPU", fix
    off = float(facts["clock_off_s"])
    fit = abs(off) <= CLOCK_S
    text = (
        "the engine's clock is ours"
        if fit
        else f"the engine's clock is {abs(off):g} s {'ahead' if off > 0 else 'behind'}"
    )
    yield "clock", fit, text, "" if fit else "let both hosts take their time from NTP: timedatectl set-ntp true"
    there = facts["network"]
    yield (
        "network",
        there,
        network() if there else f"{network()} is missing",
        "" if there else "docker compose up -d",
    )


def _images(facts: Mapping[str, Any]) -> Iterator[Row]:
    held = facts["images"]
    acted = _acted(facts)
    wanted = [name for name in images.TABLE if name != "teamdb" or len(acted) < 2]  # a stand-in needs no database
    missing = sorted({images.of(name) for name in wanted} - {name for name, told in held.items() if told})
    if missing:
        yield "images", False, f"{', '.join(missing)} not on this engine", BUILD
    else:
        text = f"; {' and '.join(acted)} are stand-ins" if acted else ""
        yield "images", True, ", ".join(sorted({images.of(name) for name in wanted})) + text, ""


def _acted(facts: Mapping[str, Any]) -> list[str]:
    """Which of forge and chat are stand-ins."""
    return [name for name in ("forge", "chat") if (facts["images"].get(images.of(name)) or {}).get("standin")]


def _clis(facts: Mapping[str, Any], harnesses: Mapping[str, int]) -> Iterator[Row]:
    """`mini` is in every worker image; the others must be named by the image's label `agensh.clis`."""
    image = images.of("worker")
    held = (facts["images"].get(image) or {}).get("clis") or []
    lacking = sorted(set(harnesses) - {"mini"} - set(held))
    if lacking:
        yield "agent CLIs", False, f"{image} holds no {', '.join(lacking)}", "choose harness mini, or backend local"


def _memory(facts: Mapping[str, Any], harnesses: Mapping[str, int]) -> Row:
    real = REAL_MIB if len(_acted(facts)) < 2 else 0
    need = ((SERVICES_MIB + real) << 20) + harnesses_need(harnesses.items())
    free = int(facts["memory_free"])
    text = f"{free / 2**30:.1f} GiB available, about {need / 2**30:.1f} GiB needed"
    return "memory", free >= need, text, "" if free >= need else "launch fewer workers, or on a bigger host"


def _disk(facts: Mapping[str, Any], workers: int) -> Row:
    """Containers are read-only: what they write are logs, and folders of the data folder, which has a row of its own."""
    free, need = int(facts["disk_free"]), DISK_BYTES + workers * LOGS_BYTES
    text = f"{free / 2**30:.1f} GiB free where the engine keeps containers, about {need / 2**30:.1f} GiB needed"
    return "engine's disk", free >= need, text, "" if free >= need else "docker system prune, or a roomier data-root"


def _networks(facts: Mapping[str, Any]) -> Row:
    """A stack publishes no port; what runs out first are the engine's address pools, two networks a run."""
    used, most = int(facts["networks"]), int(facts["networks_most"])
    text = f"no port is published; {used} networks of about {most}"
    fix = "docker network prune, or more default-address-pools in the engine's daemon.json"
    return "networks", used + 2 <= most, text, "" if used + 2 <= most else fix
