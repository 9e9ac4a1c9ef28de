"""A run's supervisor as a process: started so that it outlives whoever asked, found again, ended. The same for every backend."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from runs.backends import processes
from runs.backends.files import read_json

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


def inherited() -> dict[str, str]:
    """What a program of the team inherits from the app: a short list of names, so no secret is among them."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}


def alive(folder: Path) -> bool:
    """True while the run's supervisor lives."""
    known = read_json(folder / "supervisor.json")
    return bool(known) and processes.alive(known["pid"], known["started"])


def ensure(folder: Path, module: str, env: Mapping[str, str]) -> bool:
    """Make the supervisor live; True if it had to be started. Raises RuntimeError if it does not come up."""
    if alive(folder):
        return False
    (folder / "supervisor.json").unlink(missing_ok=True)
    with (folder / "supervisor.log").open("ab") as log:
        subprocess.run(
            [sys.executable, "-m", module, str(folder)],
            cwd=ROOT,
            env={**env, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            close_fds=True,
            check=True,
            timeout=30,
        )
    end = time.monotonic() + 10
    while not alive(folder):
        if time.monotonic() > end:
            raise RuntimeError(f"the supervisor did not come up; see {folder / 'supervisor.log'}")
        time.sleep(0.02)
    return True


def kill(folder: Path) -> None:
    """SIGKILL it, if it lives."""
    known = read_json(folder / "supervisor.json")
    if known and processes.alive(known["pid"], known["started"]):
        processes.send([known["pid"]], 9)
