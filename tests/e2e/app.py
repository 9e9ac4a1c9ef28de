"""The whole product as its users start it: `manage.py up` on a free port and an empty data folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST_RUN = ROOT / "tests" / "fixtures" / "bundles" / "first_run"
START_S, STOP_S = 120, 40


@dataclass
class App:
    """A running `up`."""

    url: str
    link: str
    folder: Path

    def manage(self, *words: str, timeout: float = 600) -> str:
        """A command in a second shell; its standard output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment(self.folder),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
        return done.stdout

    def fresh_link(self) -> str:
        """A one-time link for the first administrator."""
        return self.manage("sign_in_link", "admin").strip()


def environment(folder: Path) -> dict[str, str]:
    """The product's own settings, whatever the test runner uses."""
    kept = {k: v for k, v in os.environ.items() if k not in {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL"}}
    return {**kept, "AGENSH_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}


@contextmanager
def running(folder: Path) -> Iterator[App]:
    """`up` on a free port; at the end Ctrl-C, which ends its runs too."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "up.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", "0"],
            cwd=ROOT,
            env=environment(folder),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        link = _wait_for_link(process, log)
        yield App(link.partition("/sign-in")[0], link, folder)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_link(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if found := re.search(r"http://\S+/sign-in/link/\S+", log.read_text()):
            return found[0]
        assert process.poll() is None, f"up ended: {log.read_text()}"
        time.sleep(0.2)
    raise AssertionError(f"up did not answer within {START_S} s: {log.read_text()}")
