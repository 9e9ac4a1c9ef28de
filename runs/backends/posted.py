"""What every supervisor does whatever it supervises: leave its caller, be the only one of its run, read what the last one said.

Standard library only: a local run's supervisor is a small process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runs.backends.files import read_lines, write_json
from runs.backends.processes import look


def alone(folder: Path) -> bool:
    """True in a process of its own that is the run's one supervisor from now on; False in the caller, and where there is one already."""
    if os.fork():  # the one who asked waits for this parent only, and never for the supervisor
        return False
    os.setsid()
    lock = os.open(folder / "supervisor.lock", os.O_RDWR | os.O_CREAT, 0o600)  # held until the process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def post(folder: Path) -> None:
    """Say in `supervisor.json` which process it is; pid and start time together name it for ever."""
    me = look(os.getpid())
    write_json(folder / "supervisor.json", {"pid": os.getpid(), "started": me.started if me else 0})


def said(folder: Path) -> Iterator[dict[str, Any]]:
    """Every start and exit of a program that earlier supervisors wrote down, in order."""
    offset = 0
    while True:
        lines, after = read_lines(folder / "status.jsonl", offset)
        for line in lines:
            if line.get("state") in {"started", "exited"} and line.get("proc") != "supervisor":
                yield line
        if after == offset:
            return
        offset = after
