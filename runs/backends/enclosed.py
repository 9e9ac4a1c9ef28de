"""A worker's command inside the sandbox of `local`: which folders and ports it keeps. Pure but for where this machine has its programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from runs.backends.files import write_json
from runs.backends.sandbox.fence import FIRST_UID, Fence
from runs.harnesses import TRUSTED
from runs.spec import Command, WorkerSpec

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "docker"
# All of our own that `mini` needs: neither the loop around it, nor the services, nor the tasks with their hidden tests, which lie beside it.
MINI = (PROGRAMS / "worker" / "__init__.py", PROGRAMS / "worker" / "mini")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ENV = "/usr/bin/env"
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


def enclosed(command: Command, worker: WorkerSpec, place: Path, task: Path, endpoints: Mapping[str, Any]) -> Command:
    """The command that starts `command` in a sandbox; writes the sandbox's file beside the worker's.

    Reachable stay the forge, which git speaks to, the model's address and the tools' own port: board and chat are behind the tools.
    """
    shown, argv = ((worker.cli,), command.argv) if worker.harness not in TRUSTED else _ours(command.argv)
    ports = {_port(endpoints.get(name, {}).get("url", "")) for name in ("forge", "model")} - {0}
    fence = Fence(
        user=worker.name,
        uid=FIRST_UID + worker.n,
        home=str(place / "home"),
        cwd=str(place / "work"),
        tmp=str(place / "tmp"),
        read=(str(task), *shown, *programs()),
        ports=tuple(sorted(ports)),
        network=str(place / "network.jsonl"),
    )
    write_json(place / "fence.json", fence.dump())
    env = {
        **command.env,
        "PYTHONPATH": str(ROOT),
        "PATH": ":".join([*(f"{prefix}/bin" for prefix in programs()), *SYSTEM_PATH]),
        "TMPDIR": "/tmp",  # noqa: S108 - its own, see Fence.tmp
    }
    start = (sys.executable, "-m", "runs.backends.sandbox", str(place / "fence.json"), "{mcp.port}", "--")
    return Command((*start, *argv), env, command.session_mode)


def _ours(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What `mini` needs to see, and its command: our interpreter with its packages, our import path inside only.

    The environment's PYTHONPATH is the sandbox's own, which keeps it for itself; a checkout behind a link is named by its real path.
    """
    prefix, python = Path(sys.prefix).resolve(), Path(argv[0])
    shown = () if f"{prefix}/".startswith("/usr/") else (str(prefix),)
    inside = (ENV, f"PYTHONPATH={PROGRAMS}", str(python.parent.resolve() / python.name), *argv[1:])
    return (*shown, *map(str, MINI)), inside


def programs() -> list[str]:
    """Prefixes of Python and Node where they are not the system's own."""
    node = shutil.which("node")
    prefixes = [sys.base_prefix, *([str(Path(node).resolve().parent.parent)] if node else [])]
    return [prefix for prefix in dict.fromkeys(prefixes) if not f"{prefix}/".startswith("/usr/")]


def _port(url: str) -> int:
    """The port of a loopback address, 0 for any other."""
    parts = urlsplit(url)
    return (parts.port or 80) if parts.hostname in LOOPBACK else 0
