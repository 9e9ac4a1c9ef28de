"""One run's Compose document. Pure: the same plan gives the same document, and no text of a person or an agent enters it.

Every program keeps the path it has in the app's containers, so a file written by the launcher reads the same inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MIB = 1 << 20
UID = "10001:10001"
# Made by the app's own stack: services meet the app there, workers do not; AGENSH_NETWORK renames it.
APPS_NETWORK = "agensh_apps"
PORT = 8000
SERVICE_MEMORY = {"board": 512 * MIB, "forge": 1024 * MIB, "chat": 1024 * MIB, "model": 512 * MIB, "gateway": 512 * MIB}
WORKER_PIDS, SERVICE_PIDS = 2_048, 512


@dataclass(frozen=True, slots=True)
class Program:
    """A service or a worker: what runs, in which image, and what of the run folder it sees (source paths)."""

    name: str
    image: str
    argv: tuple[str, ...]
    folder: str
    reads: tuple[str, ...] = ()
    memory_bytes: int = 0
    life: int = 0  # of a worker; 0 = a service
    env: Mapping[str, str] = field(default_factory=dict)
    user: str = UID  # an image of others may need its own, never root
    writes: tuple[str, ...] = ()  # folders it may change, beside its own
    targets: Mapping[str, str] = field(
        default_factory=dict
    )  # where a path of the run folder stands inside, if not at its own place
    tmpfs: tuple[str, ...] = ()  # further places in memory, such as `/run:size=16m`
    healthcheck: tuple[str, ...] = ()  # a command inside; what it finds becomes an event
    first: bool = False  # others of the stack start once this one is healthy


def program_of(told: Mapping[str, Any]) -> Program:
    """A program as a plan or a command tells it: what JSON made a list of is a tuple again."""
    return Program(**{name: tuple(value) if isinstance(value, list) else value for name, value in told.items()})


@dataclass(frozen=True, slots=True)
class Stack:
    """What is rendered: whose (`site` tells two installations on one engine apart), which run, which programs."""

    site: str
    run: int
    programs: tuple[Program, ...]
    network: str = APPS_NETWORK

    @property
    def project(self) -> str:
        return project_name(self.site, self.run)


def project_name(site: str, run: int) -> str:
    """The Compose project of a run: also the prefix of its host names."""
    return f"agensh-{site}-{run}"


def host_name(project: str, service: str) -> str:
    """Where a service of the run answers, for the app and for the workers alike."""
    return f"{project}-{service}"


def render(stack: Stack) -> dict[str, Any]:
    """The document as Compose reads it (JSON is YAML). Raises ValueError for a name or a path that could mean more than it says."""
    return {
        "name": stack.project,
        "services": {program.name: _service(stack, program) for program in stack.programs},
        "networks": {
            "team": {"internal": True, "labels": _labels(stack)},
            "out": {"labels": _labels(stack)},
            "apps": {"external": True, "name": stack.network},
        },
    }


def _service(stack: Stack, program: Program) -> dict[str, Any]:
    worker = program.life > 0
    memory = program.memory_bytes or SERVICE_MEMORY.get(program.name, 512 * MIB)
    return {
        "image": program.image,
        "pull_policy": "never",
        "entrypoint": [],
        "command": [_plain(word) for word in program.argv],
        "working_dir": _plain(program.folder),
        "user": program.user,
        "init": True,
        "read_only": True,
        "tmpfs": ["/tmp:mode=1777,size=" + ("1024m,exec" if worker else "256m"), *map(_plain, program.tmpfs)],  # noqa: S108
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "restart": "no" if worker else "unless-stopped",
        "stop_grace_period": "8s",
        "environment": {name: _plain(value) for name, value in sorted(program.env.items())},
        "volumes": _binds(program),
        "networks": _networks(stack, program),
        "labels": {**_labels(stack), "agensh.program": program.name, "agensh.life": str(program.life)},
        "logging": {"driver": "json-file", "options": {"max-size": "5m", "max-file": "2"}},
        "deploy": {"resources": {"limits": {"memory": str(memory), "pids": WORKER_PIDS if worker else SERVICE_PIDS}}},
        **_health(program),
        **_after(stack, program),
    }


def _health(program: Program) -> dict[str, Any]:
    if not program.healthcheck:
        return {}
    test = ["CMD", *map(_plain, program.healthcheck)]
    # Each asking is a process inside; only one that others wait for is asked often. The launcher asks all of them by HTTP besides.
    often = {"interval": "3s", "retries": 20} if program.first else {"interval": "30s", "retries": 3}
    return {"healthcheck": {"test": test, "timeout": "5s", **often}}


def _after(stack: Stack, program: Program) -> dict[str, Any]:
    """A service waits for the ones that must be first; a worker is started by itself, when they are long up."""
    first = [other.name for other in stack.programs if other.first and other.name != program.name]
    if program.life or program.first or not first:
        return {}
    return {"depends_on": {name: {"condition": "service_healthy"} for name in first}}


def _binds(program: Program) -> list[dict[str, Any]]:
    places = {program.folder: False, **dict.fromkeys(program.reads, True), **dict.fromkeys(program.writes, False)}
    return [_bind(path, program.targets.get(path, path), read_only) for path, read_only in places.items()]


def _networks(stack: Stack, program: Program) -> dict[str, Any]:
    """Workers see the team's own network, which leads nowhere else and has no database on it. Only the gateway gets out, to the model."""
    if program.life:
        return {"team": {}}
    known = {"aliases": [host_name(stack.project, program.name)]}
    networks: dict[str, Any] = {"apps": known} if program.name == "teamdb" else {"team": known, "apps": known}
    if program.name == "gateway":
        networks["out"] = {}
    return networks


def _labels(stack: Stack) -> dict[str, str]:
    return {"agensh.site": stack.site, "agensh.run": str(stack.run)}


def _bind(path: str, target: str, read_only: bool) -> dict[str, Any]:
    return {"type": "bind", "source": _plain(path), "target": _plain(target), "read_only": read_only}


def _plain(text: str) -> str:
    """Compose puts variables of its environment in place of `$NAME`: nothing we render holds any."""
    if "$" in text or "\0" in text or "\n" in text:
        raise ValueError(f"{text!r} cannot be rendered into a stack: it holds a character with a meaning of its own")
    return text
