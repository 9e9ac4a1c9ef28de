"""PostgreSQL and Redis of our own for a test run: temporary, on loopback, gone at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _as_postgres() -> list[str]:
    """PostgreSQL refuses to run as root; its Debian package brings the user."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


@contextmanager
def postgres() -> Iterator[str]:
    """A running PostgreSQL; yields its DATABASE_URL. fsync is off: the data is thrown away."""
    found = shutil.which("initdb")
    folder = Path(found).parent if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    data = tempfile.mkdtemp(prefix="agensh-postgres-")
    port = free_port()
    if os.geteuid() == 0:
        shutil.chown(data, "postgres")
    run = {"check": True, "stdout": subprocess.DEVNULL, "cwd": data}
    subprocess.run(
        [*_as_postgres(), str(folder / "initdb"), "-D", data, "-U", "agensh", "-A", "trust", "-E", "UTF8"], **run
    )
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data} -c fsync=off -c max_connections=200"
    )
    control = [*_as_postgres(), str(folder / "pg_ctl"), "-D", data, "-l", f"{data}/log", "-w"]
    subprocess.run([*control, "-o", options, "start"], **run)
    try:
        yield f"postgres://agensh@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **{**run, "check": False})
        shutil.rmtree(data, ignore_errors=True)


@contextmanager
def redis_server() -> Iterator[str]:
    """A running Redis without persistence; yields its REDIS_URL."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing answers on port {port}")
