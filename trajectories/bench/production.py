"""The production stack for the time of a measurement: a project, a network, a data folder and a port of its own; afterwards nothing is left."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from runs.backends.compose import composing

FILE = settings.BASE_DIR / "docker" / "compose.yaml"
SOCKET = Path("/var/run/docker.sock")
APP_UID = 10_001
STACK_S = 180


class Production:
    """What is running. `inside` runs a command of `manage.py` in one of its services."""

    def __init__(self, folder: Path) -> None:
        self.name = f"agensh-bench-{secrets.token_hex(3)}"
        kept = folder / "secrets"
        kept.mkdir()
        folder.chmod(0o711)
        for name in ("secret_key", "database_password"):
            (kept / name).write_text(secrets.token_hex(24))
            (kept / name).chmod(0o400)
            os.chown(kept / name, APP_UID, APP_UID)
        self.env = {
            **os.environ,
            "AGENSH_DATA": str(folder / "data"),
            "AGENSH_SECRETS": str(kept),
            "AGENSH_BIND": f"127.0.0.1:{_free_port()}",
            "AGENSH_NETWORK": f"{self.name}_apps",
            "DOCKER_GID": str(SOCKET.stat().st_gid),
        }

    def compose(self, *words: str, seconds: float = STACK_S) -> str:
        """Raises RuntimeError with what Compose said last."""
        call = [*composing.program(), "--project-name", self.name, "--file", str(FILE), *words]
        done = subprocess.run(call, env=self.env, capture_output=True, text=True, timeout=seconds, check=False)
        if done.returncode:
            raise RuntimeError(f"docker compose {' '.join(words)}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def inside(self, service: str, *words: str, seconds: float) -> str:
        return self.compose("exec", "-T", service, "python", "manage.py", *words, seconds=seconds)


@contextmanager
def production() -> Iterator[Production]:
    """It answers. Needs root (the app's user owns the data folder) and the images; raises RuntimeError or OSError."""
    folder = Path(tempfile.mkdtemp(prefix="production-", dir=settings.DATA_DIR))
    stack = Production(folder)
    try:
        stack.compose("up", "--detach", "--wait")
        yield stack
    finally:
        stack.compose("down", "--volumes", "--timeout", "3")
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
