"""The agent CLIs of npm: where they are installed, whether one is there, and how to install them. Nothing of them is in this repository."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from runs.harnesses import HARNESSES, package

PINNED = Path(settings.BASE_DIR) / "docker" / "clis"
FIX = "make clis"
NODE = 20  # the oldest Node that all three were tried on


class InstallError(Exception):
    """The text is npm's last lines, or names what is missing."""


def folder() -> Path:
    """Where this release's CLIs are: named by the lock file, so another release's running workers keep theirs."""
    digest = hashlib.sha256((PINNED / "package-lock.json").read_bytes()).hexdigest()[:12]
    return Path(settings.CLIS_DIR) / digest


def fault(name: str) -> str:
    """What keeps a harness from being started here, as one sentence; empty if nothing does."""
    wanted = package(name)
    if wanted is None:
        return ""
    if wanted.node and (found := node_version()) < NODE:
        return f"{name} needs Node {NODE} or newer; " + (f"this is Node {found}" if found else "node is not found")
    try:
        manifest = json.loads((folder() / "node_modules" / wanted.name / "package.json").read_bytes())
    except (OSError, ValueError):
        return f"{wanted.name} {wanted.version} is not installed"
    program = Path(wanted.argv(str(folder()), node_platform())[-1])
    if manifest.get("version") != wanted.version or not program.exists():
        return f"{wanted.name} is not whole: {wanted.version} is needed"
    return ""


def node_platform() -> str:
    """This machine as npm's packages name it."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}-{machine}"


@lru_cache(maxsize=8)
def _node_version(path: str, changed: float) -> int:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
        return int(said.strip().lstrip("v").split(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


def node_version() -> int:
    """The major version of Node, 0 if there is none."""
    path = shutil.which("node")
    return _node_version(path, os.stat(path).st_mtime) if path else 0


def install() -> Path:
    """Install all of them from the lock file; the folder. Raises InstallError. Done again, it mends what is broken."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise InstallError(f"{program} is not found (Debian: apt-get install nodejs npm)")
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy2(PINNED / name, place / name)
    _run(["npm", "ci", "--omit-lockfile-registry-resolved=true", "--no-audit", "--no-fund", "--loglevel=error"], place)
    # Copilot unpacks itself at its first start: once, here, and not in each worker's home.
    copilot = package("copilot")
    assert copilot is not None
    cache = {"XDG_CACHE_HOME": str(place / "cache"), "COPILOT_HOME": str(place / "cache" / "home")}
    _run([*copilot.argv(str(place), node_platform()), "--version"], place, cache)
    broken = [fault(name) for name in HARNESSES if fault(name)]
    if broken:
        raise InstallError("; ".join(broken))
    return place


def _run(command: list[str], cwd: Path, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        last = " ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
        raise InstallError(f"{command[0]} failed: {last[:500]}")
