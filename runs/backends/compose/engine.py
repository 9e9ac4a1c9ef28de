"""What is asked of Docker Engine: whose containers there are, what happens to them, what they use. Never called by the web process."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from docker.errors import APIError, DockerException, NotFound

import docker

ABREAST = 16  # calls at once: the engine is busy with more than that
SITE, RUN, PROGRAM, LIFE = "agensh.site", "agensh.run", "agensh.program", "agensh.life"


class EngineError(RuntimeError):
    """The engine does not answer, or refuses; the text is for people."""


@cache
def client() -> docker.DockerClient:
    """The engine of DOCKER_HOST, or of the usual socket. Raises EngineError if there is none."""
    try:
        return docker.from_env(timeout=30)
    except DockerException as problem:
        raise EngineError(f"Docker Engine does not answer: {problem}") from problem


def facts(images: list[str], network: str) -> dict[str, Any]:
    """What preflight asks of the engine: version, limits it can keep, images and the network that are there."""
    told = client().info()
    return {
        "version": told.get("ServerVersion", ""),
        "cgroup": str(told.get("CgroupVersion") or "1"),  # engines before 20.10 do not say
        "driver": told.get("CgroupDriver", ""),
        "memory_limit": bool(told.get("MemoryLimit")),
        "pids_limit": bool(told.get("PidsLimit")),
        "cpu_quota": bool(told.get("CpuCfsQuota")),
        "memory_free": _memory_free(),
        "disk_free": shutil.disk_usage("/").free,  # the launcher's own root lies where the engine keeps its containers
        "clock_off_s": _clock_off(str(told.get("SystemTime", ""))),
        "networks": len(client().networks.list()),
        "networks_most": _most_networks(told.get("DefaultAddressPools") or []),
        "images": {name: _image(name) for name in images},
        "network": bool(client().networks.list(names=[network])),
    }


def _image(name: str) -> dict[str, Any] | None:
    try:
        told = client().api.inspect_image(name)
    except NotFound:
        return None
    labels = (told.get("Config") or {}).get("Labels") or {}
    return {
        "id": told["Id"],
        "digests": told.get("RepoDigests") or [],  # of a registry; an image that was built here has none
        "standin": labels.get("agensh.standin") == "yes",
        "clis": labels.get("agensh.clis", "").split(),
    }


def _clock_off(told: str) -> float:
    """How far the engine's clock is ahead of ours, in seconds; 0 where it does not tell the time."""
    told_at = _moment(told)
    return 0.0 if told_at is None else round(told_at - time.time(), 1)


def _moment(told: str) -> float | None:
    """Unix time of the engine's text, which has nine digits after the second."""
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?\d*(Z|[+-]\d\d:\d\d)", told)
    return datetime.fromisoformat("".join(part or "" for part in found.groups())).timestamp() if found else None


def _most_networks(pools: list[dict[str, Any]]) -> int:
    """How many networks the engine has addresses for; 31 where its own defaults hold."""
    return sum(2 ** (int(pool["Size"]) - int(pool["Base"].rpartition("/")[2])) for pool in pools) or 31


def _memory_free() -> int:
    """Of this machine: the launcher runs beside its engine."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


@dataclass(frozen=True, slots=True)
class Found:
    """A container as the engine's list tells it."""

    id: str
    state: str
    labels: dict[str, str]


def containers(**labels: str) -> list[Found]:
    """Containers in any state that carry these labels (`agensh.` left out of the names).

    The list alone is asked: looking into each would fail while others are being removed.
    """
    wanted = [f"agensh.{name}={value}" for name, value in labels.items()]
    told = client().api.containers(all=True, filters={"label": wanted})
    return [Found(each["Id"], each["State"], each.get("Labels") or {}) for each in told]


def state(container: str) -> dict[str, Any] | None:
    """`State` of its inspection; None if it is gone."""
    try:
        return dict(client().api.inspect_container(container)["State"])
    except NotFound:
        return None


def times(container: str) -> tuple[int, int] | None:
    """When it ended last and when it began last, in ms of Unix time (0 = never); None if it does not run."""
    told = state(container) or {}
    if not told.get("Running"):
        return None
    ended, began = (_moment(str(told.get(name, ""))) or 0.0 for name in ("FinishedAt", "StartedAt"))
    return max(0, round(ended * 1000)), max(0, round(began * 1000))


def events(site: str, run: int, since: int) -> Iterator[dict[str, Any]]:
    """Starts, exits, memory kills and health of a run's containers, for ever; `since` in seconds of Unix time."""
    wanted = {"label": [f"{SITE}={site}", f"{RUN}={run}"], "type": "container"}
    wanted["event"] = ["start", "die", "oom", "health_status"]
    yield from client().events(decode=True, since=since, filters=wanted)


def usage(container: str) -> tuple[int, int] | None:
    """Memory in MiB, less what is only page cache, and CPU in ms since its start; None if it does not run."""
    try:
        told = client().api.stats(container, stream=False, one_shot=True)
    except (APIError, ValueError):
        return None
    memory, cpu = told.get("memory_stats") or {}, told.get("cpu_stats") or {}
    if "usage" not in memory:
        return None
    inner = memory.get("stats") or {}
    idle = inner.get("total_inactive_file", inner.get("inactive_file", 0))  # cgroup v1, v2
    return max(0, memory["usage"] - idle) >> 20, cpu.get("cpu_usage", {}).get("total_usage", 0) // 1_000_000


def log_tail(container: str, lines: int = 40) -> str:
    """The end of what it printed; empty if it is gone."""
    try:
        return bytes(client().api.logs(container, tail=lines)).decode(errors="replace")
    except (APIError, NotFound):
        return ""


def stop(container: str, grace_s: float) -> None:
    """SIGTERM, then SIGKILL after the grace. A container that is gone is stopped."""
    with suppress(NotFound, APIError):
        client().api.stop(container, timeout=max(0, int(grace_s)))


def remove(container: str) -> None:
    """It and its volumes, running or not. What is gone already is removed."""
    with suppress(NotFound, APIError):
        client().api.remove_container(container, force=True, v=True)


def remove_all(site: str, run: int) -> int:
    """Remove every container, network and volume of a run, running or not; gives how many containers there were."""
    found = containers(site=site, run=str(run))
    with ThreadPoolExecutor(ABREAST) as pool:
        list(pool.map(remove, [container.id for container in found]))
    wanted = {"label": [f"{SITE}={site}", f"{RUN}={run}"]}
    for network in client().networks.list(filters=wanted):
        with suppress(NotFound, APIError):
            network.remove()
    for volume in client().volumes.list(filters=wanted):
        with suppress(NotFound, APIError):
            volume.remove(force=True)
    return len(found)


def left_over(site: str, run: int) -> int:
    """How many containers, networks and volumes of a run there are."""
    wanted = {"label": [f"{SITE}={site}", f"{RUN}={run}"]}
    networks, volumes = client().networks.list(filters=wanted), client().volumes.list(filters=wanted)
    return len(containers(site=site, run=str(run))) + len(networks) + len(volumes)


def runs(site: str) -> set[int]:
    """Ids of the runs that have something on the engine."""
    found = [container.labels.get(RUN, "") for container in containers(site=site)]
    found += [
        (network.attrs.get("Labels") or {}).get(RUN, "")
        for network in client().networks.list(filters={"label": f"{SITE}={site}"})
    ]
    return {int(run) for run in found if run.isdigit()}
