"""The few system calls of Linux that Python 3.11 does not offer: unshare, mount, pivot_root, prctl; each raises OSError with its name."""

from __future__ import annotations

import ctypes
import os
import platform

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2
_PDEATHSIG, _NO_NEW_PRIVS = 1, 38
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(platform.machine(), -1)
_libc = ctypes.CDLL(None, use_errno=True)


def _done(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int, what: str) -> None:
    """Leave the namespaces named by the flags for new ones."""
    _done(_libc.unshare(flags), f"no new {what} namespace")


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    """mount(2)."""

    def raw(text: str | None) -> bytes | None:
        return None if text is None else os.fsencode(text)

    _done(_libc.mount(raw(source), raw(target), raw(kind), ctypes.c_ulong(flags), raw(data)), f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount and all below it out of sight at once."""
    _done(_libc.umount2(os.fsencode(target), DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root; the former root is then at `old`, below it."""
    _done(_libc.syscall(_PIVOT_ROOT, os.fsencode(new), os.fsencode(old)), f"pivot_root {new}")


def die_with_parent(signal: int) -> None:
    """Get this signal when the parent ends, however it ends."""
    _libc.prctl(_PDEATHSIG, signal, 0, 0, 0)


def no_new_privileges() -> None:
    """From here on no program gains rights by being executed (setuid, file capabilities)."""
    _done(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(NO_NEW_PRIVS)")
