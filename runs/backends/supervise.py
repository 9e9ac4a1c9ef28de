"""The supervisor of one local run: `python -m runs.backends.supervise RUN_DIR`. It outlives the app and leaves no process.

It starts the services of `plan.json` and whatever `commands.jsonl` asks for, says what happens in `status.jsonl`, starts services
again when they exit, and ends everything on command, at the deadline, or when the run folder is gone. Standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from runs.backends.files import append_line, read_json, read_lines
from runs.backends.posted import alone, post, said
from runs.backends.processes import Process, become_subreaper, below, everyone, look, send
from runs.backends.spawned import Spawned

WAKE_S = 0.2
SAMPLE_S = 10
WATCH_S = 2


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Supervisor:
    """One run's processes. Single-threaded: it sleeps until a child ends or a fifth of a second has passed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inode = folder.stat().st_ino
        self.plan: dict[str, Any] = read_json(folder / "plan.json")
        self.procs: dict[str, Spawned] = {}
        self.commands_read = 0
        self.end_at = int(self.plan["end_at"])  # ms; moved by the command `deadline`
        self.ending_since: float | None = None
        self.grace_s = float(self.plan.get("grace_s", 10))
        self.sampled = self.watched = time.monotonic()

    def say(self, proc: str, life: int, state: str, **more: Any) -> None:
        if self.folder_is_there():
            append_line(
                self.folder / "status.jsonl", {"at": now_ms(), "proc": proc, "life": life, "state": state, **more}
            )

    def folder_is_there(self) -> bool:
        try:
            return self.folder.stat().st_ino == self.inode
        except OSError:
            return False

    # --- what was said before this supervisor (an earlier one may have been killed)

    def recall(self) -> None:
        """Learn the lives used so far; a process that an earlier supervisor took with it is reported as exited."""
        last: dict[str, dict[str, Any]] = {}
        for line in said(self.folder):
            last[line["proc"]] = line
        for name, line in last.items():
            if line["state"] == "started":
                self.say(name, line["life"], "exited", code=None, signal=9, expected=False, oom=False, lost=True)
            self.procs[name] = Spawned(name, {}, life=int(line["life"]))

    # --- the loop

    def run(self) -> None:
        self.recall()
        post(self.folder)
        self.say("supervisor", 1, "started", pid=os.getpid())
        for spec in self.plan["services"]:
            life = self.procs[spec["proc"]].life if spec["proc"] in self.procs else 0
            self.procs[spec["proc"]] = Spawned(spec["proc"], spec, life=life)
        while not self.step():
            heard = signal.sigtimedwait([signal.SIGCHLD, signal.SIGTERM], WAKE_S)
            if heard is not None and heard.si_signo == signal.SIGTERM:
                self.begin_end("signal")
        self.say("supervisor", 1, "ended")

    def step(self) -> bool:
        """One wake. True when everything has ended and nothing is left."""
        gone = not self.folder_is_there()
        self.reap()
        if gone:
            self.kill_all()
            return True
        self.obey()
        if self.ending_since is None:
            if now_ms() > self.end_at:
                self.begin_end("deadline")
            else:
                self.start_due()
        self.watch()
        return self.ending_since is not None and self.go_on_ending()

    def start_due(self) -> None:
        moment = time.monotonic()
        for proc in self.procs.values():
            if proc.is_due(moment):
                proc.start(self.folder)
                found = look(proc.pid)
                self.say(proc.name, proc.life, "started", pid=proc.pid, started=found.started if found else 0)

    def reap(self) -> None:
        """Collect every dead child, adopted orphans included, and report the ones we started."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for proc in self.procs.values():
                if proc.pid == pid:
                    code = os.waitstatus_to_exitcode(status)
                    expected = proc.stopping or self.ending_since is not None or (code == 0 and not proc.is_service)
                    proc.ended()
                    self.say(
                        proc.name,
                        proc.life,
                        "exited",
                        code=code if code >= 0 else None,
                        signal=-code if code < 0 else None,
                        expected=expected,
                        oom=proc.oom,
                    )
                    self.sweep(proc)

    def sweep(self, proc: Spawned) -> None:
        """What a dead process left behind goes too."""
        for process in below(os.getpid(), everyone()):
            if proc.owns(process.pid):
                send([process.pid], signal.SIGKILL)

    def obey(self) -> None:
        lines, self.commands_read = read_lines(self.folder / "commands.jsonl", self.commands_read)
        for line in lines:
            match line.get("command"):
                case "start":
                    self.accept(line)
                case "stop" if line.get("proc") in self.procs:
                    if "life" not in line or line["life"] == self.procs[line["proc"]].life:
                        self.procs[line["proc"]].stop(float(line.get("grace_s", 5)))
                case "deadline":
                    self.end_at = int(line["at"])
                case "end":
                    self.begin_end("command")

    def accept(self, spec: dict[str, Any]) -> None:
        """A process to start, once per life: commands are read again after a restart."""
        known = self.procs.get(spec["proc"])
        if known is None or (spec["life"] > known.life and known.pid == 0):
            self.procs[spec["proc"]] = Spawned(spec["proc"], spec, life=spec["life"] - 1)

    # --- memory

    def watch(self) -> None:
        """Every 2 s: the memory ceiling of each worker's whole tree; every 10 s a sample of it."""
        moment = time.monotonic()
        if moment - self.watched < WATCH_S:
            return
        self.watched = moment
        sample = moment - self.sampled >= SAMPLE_S
        self.sampled = moment if sample else self.sampled
        table = everyone()
        for proc in self.procs.values():
            if proc.pid and not proc.is_service:
                tree: list[Process] = [*below(proc.pid, table), *filter(None, [table.get(proc.pid)])]
                rss = sum(process.rss_bytes for process in tree)
                if rss > proc.memory_bytes > 0:
                    proc.oom = True
                    send([process.pid for process in tree], signal.SIGKILL)
                elif sample:
                    cpu = sum(process.cpu_ms for process in tree)
                    self.say(proc.name, proc.life, "usage", rss_mb=rss >> 20, cpu_ms=cpu)
            proc.kill_if_late(moment)

    # --- the end

    def begin_end(self, why: str) -> None:
        if self.ending_since is None:
            self.ending_since = time.monotonic()
            self.say("supervisor", 1, "ending", why=why)
            for proc in self.procs.values():
                proc.stop(self.grace_s / 2 if not proc.is_service else self.grace_s, now=not proc.is_service)

    def go_on_ending(self) -> bool:
        """Workers first, so that what they still ship finds the services; then the services; then whoever is left."""
        assert self.ending_since is not None
        spent = time.monotonic() - self.ending_since
        for proc in self.procs.values():
            proc.kill_if_late(time.monotonic())
        running = [proc for proc in self.procs.values() if proc.pid]
        if all(proc.is_service for proc in running):
            for proc in running:
                proc.stop(self.grace_s / 4)
        if running and spent < self.grace_s:
            return False
        self.kill_all()
        return True

    def kill_all(self) -> None:
        """SIGKILL every descendant until none is left."""
        while left := [p.pid for p in below(os.getpid(), everyone()) if p.state not in "ZX"]:
            send(left, signal.SIGKILL)
            time.sleep(0.02)
            self.reap()
        self.reap()


def main() -> int:
    folder = Path(sys.argv[1])
    if not alone(folder):
        return 0
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGTERM])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_subreaper()
    Supervisor(folder).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
