"""Processes as Linux shows them in /proc: who lives, who descends from whom, and how to leave none behind."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc/PID/stat. (`pid`, `started`) names a process even after its pid was used again."""

    pid: int
    parent: int
    state: str
    started: int
    rss_bytes: int
    cpu_ms: int


def look(pid: int) -> Process | None:
    """The process now, or None."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    rest = text[text.rfind(")") + 2 :].split()  # the name before it may hold blanks and brackets
    cpu = (int(rest[11]) + int(rest[12])) * 1000 // _TICKS
    return Process(pid, int(rest[1]), rest[0], int(rest[19]), int(rest[21]) * _PAGE, cpu)


def alive(pid: int, started: int) -> bool:
    """True if that very process runs: same start time and not a zombie."""
    found = look(pid)
    return found is not None and found.started == started and found.state not in "ZX"


def everyone() -> dict[int, Process]:
    """All processes by pid."""
    found = (look(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {process.pid: process for process in found if process is not None}


def below(pid: int, table: dict[int, Process]) -> list[Process]:
    """Every descendant of `pid`, parents before children."""
    children: dict[int, list[Process]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process)
    found, queue = [], [pid]
    while queue:
        for child in children.get(queue.pop(), []):
            found.append(child)
            queue.append(child.pid)
    return found


def marked(mark: str) -> list[int]:
    """Pids, other than this one, whose environment holds the exact entry `mark` (`NAME=value`). Survives setsid and re-parenting."""
    entry, found = mark.encode(), []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                entries = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if entry in entries:
                found.append(int(name))
    return found


def send(pids: Iterable[int], number: int) -> None:
    """Signal each; a process that is gone is no fault."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def kill_marked(mark: str, seconds: float = 5) -> bool:
    """SIGKILL everything with the mark until none is left; False if some outlive `seconds`."""
    end = time.monotonic() + seconds
    while pids := [pid for pid in marked(mark) if (found := look(pid)) and found.state not in "ZX"]:
        send(pids, signal.SIGKILL)
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def become_subreaper() -> None:
    """Orphans below this process become its children instead of init's."""
    if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def die_with_parent() -> None:
    """For a child before exec: SIGKILL it when the parent dies."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
