"""`local`: processes on this machine under one supervisor per run. This module only writes and reads the run folder's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runs.backends import processes, supervising
from runs.backends.files import append_line, read_lines, write_json

NAME = "local"
DESCRIPTION = "Processes on this machine, one supervisor per run that outlives the app. Agent CLIs run in a sandbox."
ROOT = supervising.ROOT
SUPERVISOR = "runs.backends.supervise"
CLIS = ""  # where `make clis` puts them
APART = False  # workers reach the app itself


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program of the team inherits: a short list of names, so no secret of the app is among them."""
    own = {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "docker"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return {**supervising.inherited(), **own, **(extra or {})}


def look(data: Path) -> None:
    """Nothing is looked up before preflight: this machine is at hand."""


def ran(data: Path, programs: Iterable[str]) -> dict[str, Any]:
    """For the run's provenance: no images here."""
    return {}


def listening(folder: Path, run: int, service: str) -> dict[str, Any]:
    """Where a service listens: loopback, any free port, which it keeps over its lives."""
    return {"host": "127.0.0.1", "port": 0}


def write_plan(folder: Path, run: int, services: list[dict[str, Any]], end_at: int) -> None:
    """What the supervisor starts first. `end_at` (ms) is when it ends everything if nobody tells it otherwise."""
    write_json(folder / "plan.json", {"services": services, "end_at": end_at, "grace_s": 8})


def start(folder: Path, process: Mapping[str, Any]) -> None:
    """Ask for one life of a worker."""
    command(folder, "start", **process)


def supervisor_alive(folder: Path) -> bool:
    """True while the run's supervisor lives."""
    return supervising.alive(folder)


def ensure_supervisor(folder: Path) -> bool:
    """Make the run's supervisor live; True if it had to be started. What a dead one left behind is killed first."""
    if supervisor_alive(folder):
        return False
    processes.kill_marked(f"AGENSH_RUN_DIR={folder}")
    return supervising.ensure(folder, SUPERVISOR, environment(folder))


def command(folder: Path, name: str, **fields: Any) -> None:
    """Tell the supervisor: start (a process of a life), stop (proc), deadline (at), end. Read again after a restart, so idempotent."""
    append_line(folder / "commands.jsonl", {"command": name, **fields})


def status(folder: Path, offset: int) -> tuple[list[dict[str, Any]], int]:
    """What happened after `offset` of status.jsonl."""
    return read_lines(folder / "status.jsonl", offset)


def progress(folder: Path) -> str:
    """What the start is at just now; processes of this machine need no word for it."""
    return ""


def fault(folder: Path) -> str:
    """Why nothing can be started; processes of this machine start or say why in their logs."""
    return ""


def ended(folder: Path) -> bool:
    """True when no supervisor lives and nothing with the run's mark is left."""
    return not supervisor_alive(folder) and not processes.marked(f"AGENSH_RUN_DIR={folder}")


def kill(folder: Path) -> bool:
    """The last resort: SIGKILL the supervisor and everything of the run. True when nothing is left."""
    supervising.kill(folder)
    return processes.kill_marked(f"AGENSH_RUN_DIR={folder}")
