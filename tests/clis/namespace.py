"""A network namespace with nothing but loopback for a test and everything that it starts: services, worker, agent.

Root is needed, as CI has it; whoever has less gets a failure that says so, and no silent pass.
"""

from __future__ import annotations

import ctypes
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from runs.backends.sandbox import kernel
from runs.backends.sandbox.attempts import Attempts
from runs.backends.sandbox.network import loopback_only, watcher


@dataclass(frozen=True)
class Outside:
    """What there is of an outside: the devices, and a file with every goal beyond loopback that anything in the namespace tried."""

    interfaces: list[str]
    path: Path

    def attempts(self) -> list[str]:
        """Every goal, however it was tried."""
        time.sleep(0.3)  # what was just sent is still being read
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [f"{row['how']} {row['to']}:{row['port']}" for row in map(json.loads, lines)]


@contextmanager
def nothing_but_loopback(path: Path) -> Iterator[Outside]:
    """This thread, and the processes and threads that it starts meanwhile, are in a namespace of their own."""
    if os.geteuid() != 0:
        pytest.fail("a network namespace of one's own needs root: run this as root, as CI does", pytrace=False)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    kernel.unshare(kernel.NEWNET, "network")
    over = threading.Event()
    try:
        loopback_only()
        seen = Attempts(watcher(), str(path))
        reader = threading.Thread(target=_read, args=(seen, over), daemon=True)
        reader.start()
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]
        yield Outside([line.split(":")[0].strip() for line in lines], path)
    finally:
        over.set()
        ctypes.CDLL(None, use_errno=True).setns(before, kernel.NEWNET)
        os.close(before)


def _read(seen: Attempts, over: threading.Event) -> None:
    while not over.wait(0.1):
        seen.read()
    seen.source.close()
