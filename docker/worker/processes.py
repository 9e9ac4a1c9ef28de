"""No descendant is left: finding and ending the processes that an agent and its tools started."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (a shell in a session of its own), so that they can be found."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: the backend's own means have to do


def descendants(root: int | None = None, proc: Path = Path("/proc")) -> list[int]:
    """Every living process below `root` (this process), by the parents that /proc tells."""
    children: dict[int, list[int]] = {}
    for entry in proc.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            # The name is in brackets and may hold anything; state and parent follow the last bracket.
            state, parent = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(entry.name))
    found, queue = [], [root or os.getpid()]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


async def end_descendants(seconds: float = 5.0) -> tuple[int, int]:
    """SIGKILL every descendant until none is left: how many there were, how many are left after so long."""
    loop = asyncio.get_running_loop()
    end, found = loop.time() + seconds, set[int]()
    while left := descendants():
        found.update(left)
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        reap()
        if loop.time() > end:
            break
        await asyncio.sleep(0.05)
    reap()
    return len(found), len(left)


def reap_adopted(own: int | None) -> None:
    """Take the exit status of orphans that ended while we work. `own`, the harness, is left to who waits for it."""
    try:
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != own:
            os.waitpid(ended.si_pid, os.WNOHANG)
    except ChildProcessError:
        pass


def reap() -> None:
    """Take the exit status of adopted children that ended, so that they do not stay as zombies."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
