"""The embedded app as a process of its own, for tests that run a whole team: start, kill, ask, and read what it stored."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from runs.backends import local

ROOT = Path(__file__).resolve().parents[2]
RENAMED = """
import sys, django
django.setup()
import runs.models.worker as worker
worker.worker_name = lambda n: "agent-" + "qzxkvjwy"[(n - 1) % 8] + str(n * 37 % 101)
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", *sys.argv[1:]])
"""


class App:
    """`manage.py up` on a data folder of its own. `renamed` gives every worker another name than wNNNN."""

    def __init__(self, folder: Path, renamed: bool = False) -> None:
        self.folder, self.renamed = folder, renamed
        self.env = {**os.environ, "AGENSH_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "agensh_web.settings"}
        self.env.pop("DATABASE_URL", None)
        self.env.pop("REDIS_URL", None)
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> None:
        """Start it and wait for its address."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / f"up-{time.monotonic_ns()}.log"
        program = ["-c", RENAMED] if self.renamed else ["manage.py"]
        with log.open("wb") as out:
            command = [sys.executable, *program, "up", "--port", "0"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=out, stderr=subprocess.STDOUT)
        end = time.monotonic() + 180
        while not (found := re.search(r"answers at (\S+)", log.read_text())):
            assert self.process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        self.url = found[1]

    def end(self, sign: int = signal.SIGTERM) -> int:
        """Signal it and wait for its end; gives the exit code."""
        assert self.process is not None
        self.process.send_signal(sign)
        return self.process.wait(60)

    def close(self) -> None:
        """Whatever is left of it and of its runs' teams is killed."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for folder in (self.folder / "runs").glob("*"):
            local.kill(folder)

    def command(self, *arguments: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """A management command in another process."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=seconds, check=False
        )

    def json(self, *arguments: str, seconds: float = 120) -> Any:
        """What a command prints as JSON."""
        done = self.command(*arguments, seconds=seconds)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def get(self, path: str, token: str) -> Any:
        """An answer of the API."""
        asked = urllib.request.Request(f"{self.url}{path}", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def run_folder(self, slug: str) -> Path:
        return self.folder / "runs" / slug

    def pids(self, slug: str) -> dict[str, int]:
        """The newest process of every service and worker, and of the supervisor, from what it wrote."""
        found: dict[str, int] = {}
        for line in (self.run_folder(slug) / "status.jsonl").read_text().splitlines():
            said = json.loads(line)
            if said["state"] == "started":
                found[said["proc"]] = said["pid"]
        return found

    def wait(self, slug: str, seconds: float = 420, phase: str = "") -> dict[str, Any]:
        """Until the run is over (or in that phase)."""
        token = self.command("create_token", f"t{time.monotonic_ns()}", "--role", "viewer").stdout.split()[-1]
        end = time.monotonic() + seconds
        while True:
            run: dict[str, Any] = self.get(f"/api/v1/runs/{slug}", token)
            if run["status"] in {"ended", "failed", "cancelled"} or (phase and run["phase"] == phase):
                return run
            assert time.monotonic() < end, run
            time.sleep(1)
