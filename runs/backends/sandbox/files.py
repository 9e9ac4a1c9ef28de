"""The files a sandbox shows: the system's programs read-only, the worker's own folders, nothing else. Runs inside the new mount namespace."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from runs.backends.sandbox import kernel
from runs.backends.sandbox.fence import Fence

OLD = "/.old"  # where the machine's root hangs while the new one is furnished
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "protocols",
    "services",
    "ssl",
    "timezone",
]
SHARED = "/dev/shm"  # noqa: S108 - the sandbox's own
DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
_KEPT = {os.ST_NODEV: kernel.NODEV, os.ST_NOEXEC: kernel.NOEXEC}  # a user namespace may not take these off a mount


def furnish(fence: Fence) -> None:
    """Make a new root with only what the fence allows, and go there; /proc is for the first process of the new pid namespace."""
    kernel.mount(None, "/", None, kernel.REC | kernel.PRIVATE)
    kernel.mount("sandbox", "/tmp", "tmpfs", kernel.NOSUID | kernel.NODEV, "mode=755")  # noqa: S108
    os.mkdir(f"/tmp{OLD}", 0o700)  # noqa: S108
    kernel.pivot_root("/tmp", f"/tmp{OLD}")  # noqa: S108
    os.chdir("/")
    _system()
    _etc(fence)
    _devices()
    os.mkdir("/run", 0o755)
    os.makedirs("/var", 0o755)
    _show(fence.tmp, "/tmp", writable=True)  # noqa: S108
    os.symlink("/tmp", "/var/tmp")  # noqa: S108
    for path, writable in _ordered(fence):
        _show(path, path, writable)
    os.mkdir("/proc", 0o555)
    kernel.mount("proc", "/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    kernel.unmount(OLD)
    os.rmdir(OLD)
    kernel.mount(None, "/", None, kernel.REMOUNT | kernel.RDONLY | kernel.NOSUID | kernel.NODEV, "mode=755")


def _ordered(fence: Fence) -> Iterable[tuple[str, bool]]:
    """Outer folders before inner ones, so that no mount hides another."""
    asked = {**dict.fromkeys(fence.read, False), **dict.fromkeys((*fence.write, fence.home, fence.cwd), True)}
    return sorted(asked.items(), key=lambda item: (item[0].count("/"), item[0]))


def _show(source: str, target: str, writable: bool = False) -> None:
    """Bind a file or folder of the machine; one that does not exist is passed over."""
    here = OLD + os.path.realpath(OLD + source)[len(OLD) :] if os.path.islink(OLD + source) else OLD + source
    if not os.path.exists(here):
        return
    if os.path.isdir(here):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
        Path(target).touch()
    kernel.mount(here, target, None, kernel.BIND | kernel.REC)
    flags = kernel.NOSUID | sum(flag for seen, flag in _KEPT.items() if os.statvfs(target).f_flag & seen)
    kernel.mount(None, target, None, kernel.BIND | kernel.REMOUNT | flags | (0 if writable else kernel.RDONLY))


def _system() -> None:
    for path in SYSTEM:
        if os.path.islink(OLD + path):
            os.symlink(os.readlink(OLD + path), path)
        else:
            _show(path, path)


def _etc(fence: Fence) -> None:
    os.mkdir("/etc", 0o755)
    for name in ETC:
        path = f"/etc/{name}"
        if os.path.islink(OLD + path):
            os.symlink(os.readlink(OLD + path), path)
        else:
            _show(path, path)
    people = f"root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n{fence.user}:x:{fence.uid}:{fence.uid}::{fence.home}:/bin/bash\n"
    Path("/etc/passwd").write_text(people)
    Path("/etc/group").write_text(f"root:x:0:\n{fence.user}:x:{fence.uid}:\n")
    Path("/etc/hosts").write_text(f"127.0.0.1 localhost {fence.user}\n")
    Path("/etc/resolv.conf").write_text("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")
    Path("/etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")


def _devices() -> None:
    os.mkdir("/dev", 0o755)
    kernel.mount("dev", "/dev", "tmpfs", kernel.NOSUID | kernel.NOEXEC, "mode=755")
    for name in DEVICES:
        Path(f"/dev/{name}").touch()
        kernel.mount(f"{OLD}/dev/{name}", f"/dev/{name}", None, kernel.BIND)
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        os.symlink(f"/proc/self/{target}", f"/dev/{name}")
    os.mkdir("/dev/pts")
    kernel.mount("devpts", "/dev/pts", "devpts", kernel.NOSUID | kernel.NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", "/dev/ptmx")
    os.mkdir(SHARED)
    kernel.mount("shm", SHARED, "tmpfs", kernel.NOSUID | kernel.NODEV, "mode=1777")
