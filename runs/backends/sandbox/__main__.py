"""`python -m runs.backends.sandbox FENCE PORT -- COMMAND..`: run a command inside a sandbox, its standard streams passed straight through.

Two processes stay: this one, which carries connections and lists attempts, and the first process of the sandbox, which buries orphans. Whoever
ends this one ends everything inside, also by SIGKILL. PORT is one more port that stays reachable (the tools' own; 0 = none).
Exit code: the command's (128 + n after signal n), 125 if the sandbox could not be made. Standard library only.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType

from runs.backends.sandbox import kernel
from runs.backends.sandbox.attempts import Attempts
from runs.backends.sandbox.fence import Fence
from runs.backends.sandbox.files import furnish
from runs.backends.sandbox.network import listeners, loopback_only, watcher
from runs.backends.sandbox.relay import Relay

REFUSED = 125
GRACE_S = 3.0  # between SIGTERM and the end of everything inside
HIDDEN = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "AGENSH_RUN_DIR", "AGENSH_PROC")


def main(argv: Sequence[str]) -> int:
    """Make the sandbox, run the command, give its exit code."""
    kernel.die_with_parent(signal.SIGKILL)
    try:
        fence = Fence.load(Path(argv[0]))
        port, command = int(argv[1]), list(argv[3:])
        fence = replace(fence, ports=tuple(sorted({*fence.ports, port} - {0})))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as problem:
        print(f"sandbox: {argv[:1]}: {problem!r}", file=sys.stderr)
        return REFUSED
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        _own(fence)
        if os.geteuid() != 0:
            _as_user(fence.uid)
        kernel.unshare(kernel.NEWPID, "process")
    except OSError as problem:
        print(f"sandbox: {problem.strerror or problem}", file=sys.stderr)
        return REFUSED
    first = os.fork()
    if first == 0:
        ours.close()
        _inside(fence, command, theirs)
    theirs.close()
    return _outside(fence, first, ours)


def _own(fence: Fence) -> None:
    """Where we are root the worker gets a user of its own, and its folders with it."""
    for folder in (fence.home, fence.cwd, fence.tmp):
        os.makedirs(folder, exist_ok=True)
    if os.geteuid() != 0:
        return
    for top in (fence.home, fence.cwd, fence.tmp, *fence.write):
        for place, _, names in os.walk(top):
            for path in (place, *(os.path.join(place, name) for name in names)):
                if os.lstat(path).st_uid != fence.uid:
                    os.lchown(path, fence.uid, fence.uid)


def _as_user(uid: int) -> None:
    """Without root: a user namespace in which we are `uid`, with rights over the namespaces made below it only."""
    me, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEWUSER, "user")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {me} 1")
    Path("/proc/self/gid_map").write_text(f"{uid} {group} 1")


def _inside(fence: Fence, command: list[str], door: socket.socket) -> None:
    """The first process of the sandbox: furnish it, start the command as the worker's user, bury orphans. Never returns."""
    kernel.die_with_parent(signal.SIGKILL)
    try:
        kernel.unshare(kernel.NEWNET | kernel.NEWNS | kernel.NEWIPC | kernel.NEWUTS, "network or mount")
        loopback_only()
        handed = [watcher(), *listeners(fence.ports)]
        socket.send_fds(door, [b"ready"], [each.fileno() for each in handed])
        for each in handed:
            each.close()
        socket.sethostname(fence.user)
        furnish(fence)
        agent = os.fork()
        if agent == 0:
            _become(fence, command)
    except BaseException as problem:
        text = problem.strerror if isinstance(problem, OSError) else repr(problem)
        print(f"sandbox: {text or problem}", file=sys.stderr, flush=True)
        os._exit(REFUSED)
    door.close()
    signal.signal(signal.SIGTERM, lambda *_: _tell(agent))
    os.closerange(0, 2)
    while True:
        pid, status = os.wait()
        if pid == agent:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)  # everything else inside ends with this process


def _tell(agent: int) -> None:
    try:
        os.kill(agent, signal.SIGTERM)
    except ProcessLookupError:
        pass


def _become(fence: Fence, command: list[str]) -> None:
    """The worker's user, without a way back, in its own folder."""
    try:
        if os.getuid() == 0:
            os.setgroups([])
            os.setresgid(fence.uid, fence.uid, fence.uid)
            os.setresuid(fence.uid, fence.uid, fence.uid)
        kernel.no_new_privileges()
        os.chdir(fence.cwd)
        env = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        os.execvpe(command[0], command, env)  # noqa: S606
    except OSError as problem:
        print(f"sandbox: {command[0]}: {problem.strerror}", file=sys.stderr, flush=True)
    os._exit(126)


def _outside(fence: Fence, first: int, door: socket.socket) -> int:
    """Carry connections until the sandbox has ended."""
    kill_at = [float("inf")]

    def end(number: int, frame: FrameType | None) -> None:
        kill_at[0] = min(kill_at[0], time.monotonic() + GRACE_S)
        os.kill(first, signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    with open(os.devnull, "r+b") as nothing:  # the command alone holds the streams: their ends are its end
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    word, handles, _, _ = socket.recv_fds(door, 16, len(fence.ports) + 1)
    door.close()
    relay = Relay([socket.socket(fileno=handle) for handle in handles[1:]])
    if word and handles:
        attempts = Attempts(socket.socket(fileno=handles[0]), fence.network)
        relay.watch(attempts.source, attempts.read)
    wake, ring = socket.socketpair()
    for end_of in (wake, ring):
        end_of.setblocking(False)
    relay.watch(wake, lambda: wake.recv(64))
    signal.set_wakeup_fd(ring.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        pid, status = os.waitpid(first, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        if time.monotonic() > kill_at[0]:
            os.kill(first, signal.SIGKILL)
        relay.turn(min(1.0, max(0.05, kill_at[0] - time.monotonic())))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
