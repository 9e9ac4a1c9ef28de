"""`local`: processes on this machine under one supervisor per run. This module only writes and reads the run folder's files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runs.backends import processes
from runs.backends.files import append_line, read_json, read_lines, write_json

NAME = "local"
DESCRIPTION = (
    "Processes on this machine, one supervisor per run that outlives the app. Workers are not isolated from it."
)
ROOT = Path(__file__).resolve().parents[2]
PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program of the team inherits: a short list of names, so no secret of the app is among them."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    own = {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "docker"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return {**kept, **own, **(extra or {})}


def write_plan(folder: Path, services: list[dict[str, Any]], end_at: int) -> None:
    """What the supervisor starts first. `end_at` (ms) is when it ends everything if nobody tells it otherwise."""
    write_json(folder / "plan.json", {"services": services, "end_at": end_at, "grace_s": 8})


def supervisor_alive(folder: Path) -> bool:
    """True while the run's supervisor lives."""
    known = read_json(folder / "supervisor.json")
    return bool(known) and processes.alive(known["pid"], known["started"])


def ensure_supervisor(folder: Path) -> bool:
    """Make the run's supervisor live; True if it had to be started. What a dead one left behind is killed first."""
    if supervisor_alive(folder):
        return False
    processes.kill_marked(f"AGENSH_RUN_DIR={folder}")
    (folder / "supervisor.json").unlink(missing_ok=True)
    with (folder / "supervisor.log").open("ab") as log:
        subprocess.run(
            [sys.executable, "-m", "runs.backends.supervise", str(folder)],
            cwd=ROOT,
            env={**environment(folder), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            close_fds=True,
            check=True,
            timeout=30,
        )
    end = time.monotonic() + 10
    while not supervisor_alive(folder):
        if time.monotonic() > end:
            raise RuntimeError(f"the supervisor did not come up; see {folder / 'supervisor.log'}")
        time.sleep(0.02)
    return True


def command(folder: Path, name: str, **fields: Any) -> None:
    """Tell the supervisor: start (a process of a life), stop (proc), deadline (at), end. Read again after a restart, so idempotent."""
    append_line(folder / "commands.jsonl", {"command": name, **fields})


def status(folder: Path, offset: int) -> tuple[list[dict[str, Any]], int]:
    """What happened after `offset` of status.jsonl."""
    return read_lines(folder / "status.jsonl", offset)


def ended(folder: Path) -> bool:
    """True when no supervisor lives and nothing with the run's mark is left."""
    return not supervisor_alive(folder) and not processes.marked(f"AGENSH_RUN_DIR={folder}")


def kill(folder: Path) -> bool:
    """The last resort: SIGKILL the supervisor and everything of the run. True when nothing is left."""
    known = read_json(folder / "supervisor.json")
    if known and processes.alive(known["pid"], known["started"]):
        processes.send([known["pid"]], 9)
    return processes.kill_marked(f"AGENSH_RUN_DIR={folder}")
