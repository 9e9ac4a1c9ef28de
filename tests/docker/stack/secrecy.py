"""What of a secret the engine would show to whoever may ask it: inspections, arguments, environments."""

from __future__ import annotations

import subprocess

from tests.docker.stack.engine import docker


def _running() -> list[str]:
    return docker("ps", "-q").split()


def shown() -> str:
    """Every container's inspection, and the arguments of every process in the running ones."""
    inspected = "".join(
        docker("inspect", each, check=False) for each in docker("ps", "-aq").split()
    )  # some go meanwhile
    return inspected + "".join(docker("top", each, "-eo", "args", check=False) for each in _running())


def environments() -> str:
    """The environment of every process in the running containers, as the host's root reads it."""
    found = []
    for each in _running():
        pids = docker("top", each, "-eo", "pid", check=False).split()[1:]
        files = [f"/proc/{pid}/environ" for pid in pids]
        found.append(subprocess.run(["cat", *files], capture_output=True, check=False).stdout.decode(errors="replace"))
    return "".join(found)
