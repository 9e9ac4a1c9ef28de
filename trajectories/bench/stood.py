"""Real services as processes of a measurement or a test, started as a `local` run starts them: the product's own plan, files and commands."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from runs.backends import local
from runs.services.standing import Standing
from trajectories.bench.programs import cpu_s, memory_mb

WITHIN_S = 300  # a first start makes a database and its tables, on a machine that others may use too


class Stood:
    """The real services of one run folder. `receiver` is the address of the app that webhooks may go to."""

    def __init__(self, folder: Path, real: list[str], workers: int, receiver: str = "http://127.0.0.1") -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.standing = Standing(local, folder, 1, real)
        self.plan = {told["proc"]: told for told in self.standing.prepare(receiver, "agensh", workers)}
        try:
            for name in self.plan:
                self.start(name)
        except BaseException:
            self.close()
            raise

    def start(self, name: str) -> None:
        """Start it and wait until it answers. Raises RuntimeError with the end of its log."""
        told = self.plan[name]
        with Path(told["log"]).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                told["argv"], cwd=told["cwd"], env=told["env"], stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + WITHIN_S
        while not self.standing.answers(name):
            if self.processes[name].poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{name} did not come up: {Path(told['log']).read_text('utf-8')[-2000:]}")
            time.sleep(0.2)

    def stop(self, name: str) -> None:
        """End it as a stack does: asked first, then killed."""
        process = self.processes[name]
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def restart(self, name: str) -> None:
        """It stops, or was killed, and comes back."""
        if self.processes[name].poll() is None:
            self.stop(name)
        self.start(name)

    def kill(self, name: str) -> None:
        """SIGKILL, in the middle of whatever it does."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def close(self) -> None:
        for name in reversed(self.processes):
            self.stop(name)

    def cpu_s(self, name: str) -> float:
        """Processor seconds of the service so far, of its children that have ended too (git)."""
        return sum(cpu_s(pid, ended=True) for pid in _tree(self.processes[name].pid))

    def memory_mb(self, name: str) -> float:
        """Memory of the service and its children, shared pages by share, in MB."""
        return sum(memory_mb(pid) for pid in _tree(self.processes[name].pid))


def _tree(pid: int) -> list[int]:
    """A process and its descendants; who goes meanwhile is left out."""
    found = [pid]
    try:
        for task in (Path("/proc") / str(pid) / "task").iterdir():
            for child in (task / "children").read_text().split():
                found += _tree(int(child))
    except OSError:
        pass
    return found
