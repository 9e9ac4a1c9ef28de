"""Processes of our own that work for an import: they have the models and nothing else of the app, so they begin in half the time."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
START = "from trajectories.processes import begin; begin()"
APPS = ("django.contrib.contenttypes", "django.contrib.auth", "runs", "trajectories")
READING = "reading"  # a second connection: on SQLite one that is reading cannot write once somebody else has written
PATIENCE_S = 20
NICE = 5  # live teams on the same machine go first


def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that calls `main(*arguments)` of a module, on the present database; both of its ends are pipes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-c", START, module, *arguments]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    # Not by its arguments or environment, which others may see: it holds a password.
    with suppress(BrokenPipeError):
        process.stdin.write(orjson.dumps(connection.settings_dict, default=str) + b"\n")
        process.stdin.flush()
    return process


def end(process: subprocess.Popen[bytes]) -> int:
    """Its exit code. One that is not done finds nobody to hear or to tell and ends by itself; else it is ended."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait()


def begin() -> None:
    """The other end."""
    import django
    from django.conf import settings

    told = sys.stdin.buffer.readline()
    if not told:  # whoever imports is gone before this has begun
        return
    database: dict[str, Any] = orjson.loads(told)
    os.nice(NICE)
    kept = {"DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField", "USE_TZ": True, "TIME_ZONE": "UTC"}
    settings.configure(DATABASES={"default": database, READING: database}, INSTALLED_APPS=APPS, REDIS_URL="", **kept)
    django.setup()
    import_module(sys.argv[1]).main(*sys.argv[2:])
