"""Real services as processes of a test, started as a `local` run starts them: the product's own plan, files and commands."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from runs.backends import local
from runs.services.standing import Standing

WITHIN_S = 300  # a first start makes a database and its tables, on a machine that others may use too


class Stood:
    """The real services of one run folder."""

    def __init__(self, folder: Path, real: list[str], workers: int) -> None:
        self.folder, self.processes = folder, {}
        self.standing = Standing(local, folder, 1, real)
        self.plan = {told["proc"]: told for told in self.standing.prepare("http://127.0.0.1", "agensh", workers)}
        try:
            for name in self.plan:
                self.start(name)
        except BaseException:
            self.close()
            raise

    def start(self, name: str) -> None:
        """Start it and wait until it answers."""
        told = self.plan[name]
        with Path(told["log"]).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                told["argv"], cwd=told["cwd"], env=told["env"], stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + WITHIN_S
        while not self.standing.answers(name):
            assert self.processes[name].poll() is None, Path(told["log"]).read_text("utf-8")[-2000:]
            assert time.monotonic() < end, f"{name} did not come up"
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
