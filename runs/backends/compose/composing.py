"""Calling Compose: progress as it goes, an error as a sentence, and a cancel that really ends it.

The plain program is used because its own SDKs cannot be cancelled: a process group of its own is sent SIGINT.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


class ComposeError(RuntimeError):
    """Compose refused or failed; the text is its own last word."""


class Stopped(Exception):
    """Somebody asked for the end while Compose was at work."""


def program() -> list[str]:
    """How Compose v2 is called here. Raises ComposeError if it is not installed."""
    beside = Path(sys.executable).parent / "docker-compose"  # as PyPI packs it
    if alone := shutil.which("docker-compose") or (str(beside) if beside.exists() else None):
        return [alone]
    if shutil.which("docker"):
        return ["docker", "compose"]
    raise ComposeError("Docker Compose v2 is not installed")


def version() -> str:
    """Compose's version, such as `5.6.1`. Raises ComposeError if it is not there."""
    done = subprocess.run([*program(), "version", "--short"], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode:
        raise ComposeError(_last(done.stderr) or "docker compose version failed")
    return done.stdout.strip().lstrip("v")


def resolved(project: str, file: Path) -> dict[str, Any]:
    """The document as Compose understands it: what is really going to be started."""
    done = subprocess.run(
        [*_call(project, file), "config", "--format", "json"],
        env=_env(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise ComposeError(_last(done.stderr) or "docker compose config failed")
    return dict(json.loads(done.stdout))


def up(
    project: str,
    file: Path,
    names: Sequence[str],
    *,
    progress: Callable[[str, str], None],
    stopped: Callable[[], bool],
    anew: bool = False,
) -> None:
    """Start these services of the file and no other. `progress(id, text)` hears every step; raises Stopped once `stopped()` is true.

    After Stopped or ComposeError some of it may exist: take it down.
    """
    options = ["--detach", "--no-build", *(["--force-recreate"] if anew else [])]
    process = subprocess.Popen(
        [*_call(project, file), "--progress", "json", "up", *options, *names],
        env=_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    last = ""
    try:
        for line in process.stderr:
            told = _told(line)
            last = told.get("message") or told.get("text") or last
            if told.get("id"):
                progress(str(told["id"]), str(told.get("text") or told.get("status") or ""))
            if stopped():
                raise Stopped
        if process.wait(30):
            raise ComposeError(last or f"docker compose up ended with {process.returncode}")
    finally:
        _end(process)


def down(project: str, file: Path, grace_s: int) -> None:
    """Take down all of the project, volumes too."""
    options = ["--volumes", "--remove-orphans", "--timeout", str(grace_s)]
    done = subprocess.run(
        [*_call(project, file), "down", *options],
        env=_env(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise ComposeError(_last(done.stderr) or "docker compose down failed")


def _end(process: subprocess.Popen[str]) -> None:
    """SIGINT to its group ends it within a tenth of a second; it leaves what it had begun."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            break
        os.killpg(process.pid, sign)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            continue
    if process.stderr:
        process.stderr.close()


def _call(project: str, file: Path) -> list[str]:
    return [*program(), "--project-name", project, "--file", str(file), "--project-directory", str(file.parent)]


def _env() -> dict[str, str]:
    """Only what Compose needs: no setting of the app may be read into a stack."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "DOCKER_HOST") if name in os.environ}


def _told(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {"text": line.strip()}
    return told if isinstance(told, dict) else {}


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:500] if lines else ""
