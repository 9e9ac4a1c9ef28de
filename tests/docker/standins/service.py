"""A stand-in as a process of its own, as a run starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PASSWORD = "a long enough password"


class Service:
    """A running stand-in: address, folder, process."""

    def __init__(self, module: str, folder: Path, **config: Any) -> None:
        self.module, self.folder = module, folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "admin").write_text(PASSWORD, "utf-8")
        self.config = {
            "host": "127.0.0.1",
            "port": 0,
            "data_dir": "data",
            "ready_file": "ready.json",
            "admin": {"username": "agensh", "password_file": str(folder / "admin")},
            **config,
        }
        (folder / "config.json").write_text(json.dumps(self.config), "utf-8")
        self.data_dir = folder / "data"
        self.start()

    def start(self) -> None:
        ready = self.folder / "ready.json"
        before = ready.stat().st_mtime_ns if ready.exists() else 0
        log = (self.folder / "log.txt").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module, "--config", str(self.folder / "config.json")],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": "docker"},
            stdout=log,
            stderr=log,
        )
        log.close()
        deadline = time.monotonic() + 20
        while not ready.exists() or ready.stat().st_mtime_ns == before:
            assert self.process.poll() is None, (self.folder / "log.txt").read_text("utf-8")
            assert time.monotonic() < deadline, "the service did not get ready"
            time.sleep(0.05)
        self.url: str = json.loads(ready.read_text("utf-8"))["url"]

    def stop(self) -> int:
        """SIGTERM; the exit code. Fails where it takes more than five seconds."""
        self.process.terminate()
        return self.process.wait(timeout=5)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def calls(self) -> list[dict[str, Any]]:
        """Every call it recorded."""
        path = self.data_dir / "calls.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@contextmanager
def running(module: str, folder: Path, **config: Any) -> Iterator[Service]:
    """A stand-in that ends with the block."""
    service = Service(module, folder, **config)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.kill()
