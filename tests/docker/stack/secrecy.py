"""What of a secret the engine, or the host's list of processes, would show: inspections, arguments, environments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docker.stack.engine import docker


def _inspected() -> list[dict[str, Any]]:
    return list(json.loads(docker("inspect", *docker("ps", "-aq").split(), check=False)))  # some go meanwhile


def shown() -> str:
    """Every container's inspection, and the arguments of every process in the running ones."""
    told = _inspected()
    return json.dumps(told) + "".join(_read(told, "cmdline"))


def environments() -> str:
    """The environment of every process in the running containers."""
    return "".join(_read(_inspected(), "environ"))


def _read(inspected: list[dict[str, Any]], file: str) -> Iterator[str]:
    """This file of /proc of every process below a container's first: read on the host, one call of the engine's client costs more."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(place.name))
    waiting = [each["State"]["Pid"] for each in inspected if each["State"]["Pid"]]
    assert waiting
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, [])
        try:
            yield Path(f"/proc/{pid}/{file}").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
