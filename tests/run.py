"""Run every test: on SQLite, again on PostgreSQL and Redis that it starts itself, JavaScript, and Chromium.

As root with apt it installs what is missing; otherwise it names each missing program with the command, and fails when CI is set.
Each step has a budget in minutes; a step over its budget fails when CI is set. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.house.services import postgres, redis_server  # noqa: E402

CI = bool(os.environ.get("CI"))
NEEDED = {
    "git": "git",
    "node": "nodejs",
    "npm": "npm",
    "chromium": "chromium",
    "redis-server": "redis-server",
    "initdb": "postgresql",
    "dockerd": "docker.io",
    "iptables": "iptables",
    "debootstrap": "debootstrap",
}


# Whole teams, browsers, npm's CLIs and Docker have steps of their own.
QUICK = "not e2e and not demo and not clis and not docker and not faults"
second_tries: list[str] = []


@dataclass
class Step:
    """One part of the suite: its name, its budget in minutes, what it needs and what it runs."""

    name: str
    minutes: float
    needs: tuple[str, ...]
    run: Callable[[], int]


def find(program: str) -> str | None:
    """The program's path; PostgreSQL's server programs are looked for where Debian keeps them."""
    if program == "initdb":
        places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return shutil.which(program) or (str(places[-1]) if places else None)
    return shutil.which(program)


def install_missing() -> None:
    missing = [package for program, package in NEEDED.items() if not find(program)]
    if not missing:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {' '.join(missing)} ...", flush=True)
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=env, check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", *missing], env=env, check=False, stdout=subprocess.DEVNULL)
    for program, package in NEEDED.items():
        if not find(program):
            print(f"Missing: {program}. Install it with: apt-get install {package}", flush=True)


def pytest(*arguments: str, **env: str) -> int:
    """Run the tests; those that fail are run once more, and said to have been.

    The suite starts real teams of processes against real deadlines, and a machine shared with others may miss one. A
    fault of ours fails twice.
    """
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    run = {"cwd": ROOT, "env": {**os.environ, **env}, "check": False}
    code = subprocess.run(command, **run).returncode
    if code == 1:
        print("--- a second try of the tests that failed above", flush=True)
        second_tries.append(" ".join(arguments))
        code = subprocess.run([*command, "--last-failed", "--last-failed-no-failures", "none"], **run).returncode
    return code


def on_sqlite() -> int:
    return pytest("-m", QUICK)


def on_postgres() -> int:
    with postgres() as database, redis_server() as redis:
        paths = ("tests/runs", "tests/trajectories", "tests/docker/board/test_postgres.py")
        # Not dropped at the end: the whole cluster goes, and a server that a test has just stopped may still be leaving.
        return pytest("--reuse-db", "-m", QUICK, *paths, DATABASE_URL=database, REDIS_URL=redis)


def real_clis() -> int:
    """Install the pinned agent CLIs from npm (once; kept in the data folder), then let them work."""
    place = os.environ.get("AGENSH_CLIS_DIR") or str(ROOT / "var" / "clis")
    env = {**os.environ, "AGENSH_CLIS_DIR": place}
    installed = subprocess.run([sys.executable, "manage.py", "install_clis"], cwd=ROOT, env=env, check=False)
    return installed.returncode or pytest("-m", "clis", AGENSH_CLIS_DIR=place)


def on_docker() -> int:
    """The production stack and teams on a Docker Engine: the one that is there, or one started for the time of the step. It needs root."""
    if os.geteuid() != 0 and subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        print("No Docker Engine answers, and only root can start one: start it, or run this as root.", flush=True)
        return 1
    return pytest("-s", "-m", "docker", "--durations=0", "--durations-min=5")


def in_node() -> int:
    files = sorted(str(path) for path in (ROOT / "tests" / "js").glob("*.test.mjs"))
    return subprocess.run(["node", "--test", *files], cwd=ROOT, check=False).returncode


STEPS = [
    Step("python on SQLite", 15, ("git",), on_sqlite),
    Step("python on PostgreSQL and Redis", 15, ("git", "initdb", "redis-server"), on_postgres),
    Step("faults of workers, load of the board", 15, ("git",), lambda: pytest("-m", "faults")),
    Step("javascript", 2, ("node",), in_node),
    Step("demo teams", 25, ("git",), lambda: pytest("-m", "demo")),
    Step("CLIs", 15, ("git", "node", "npm"), real_clis),
    Step("walk in Chromium", 20, ("git", "chromium"), lambda: pytest("-m", "e2e")),
    Step("Docker", 25, ("git", "chromium", "dockerd", "iptables", "debootstrap"), on_docker),
]


def main() -> int:
    install_missing()
    lines, failed = [], False
    for step in STEPS:
        lacking = [program for program in step.needs if not find(program)]
        if lacking:
            lines.append(f"SKIPPED  {step.name}: {', '.join(lacking)} missing")
            failed = failed or CI
            continue
        print(f"\n=== {step.name} (budget {step.minutes:g} min)", flush=True)
        began = time.monotonic()
        code = step.run()
        took = (time.monotonic() - began) / 60
        late = took > step.minutes
        failed = failed or code != 0 or (CI and late)
        word = "FAILED " if code else "LATE   " if late else "passed "
        lines.append(f"{word}  {step.name}: {took:.1f} of {step.minutes:g} min")
    lines += [f"SECOND TRY  pytest {arguments}" for arguments in second_tries]
    print("\n=== summary\n" + "\n".join(lines), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
