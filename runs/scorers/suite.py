"""Scorer `suite`: check one commit out, build it, run the task's hidden tests, in a limited process of its own at low priority."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

NAME = "suite"
VERSION = 1
DESCRIPTION = "Builds the commit and runs the task's own hidden behavioural tests; the score is the share that passes."
CHILD = Path(__file__).with_name("suite_child.py")
LIMITS = {"cpu_s": 120, "wall_s": 180, "memory_bytes": 2 << 30}


def score(
    task: Path | str, repository: Path | str, commit: str, limits: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """How many active tests of the task pass on the commit. Never raises for what the commit does; blocks until the child ends.

    `repository` is a bare repository or a clone URL. Tests that did not run count in `total` and in `not_run`, never as passed.
    `error_code`: null, `task_unreadable`, `checkout_failed`, `compile_failed`, `timeout` or `crashed`.
    """
    began = time.monotonic()
    bounds = {**LIMITS, **(limits or {})}
    result: dict[str, Any] = {
        "passed": 0,
        "total": 0,
        "not_run": 0,
        "error_code": None,
        "evaluator": NAME,
        "took_ms": 0,
    }
    try:
        tests = active_tests(Path(task))
        result |= {"total": len(tests), "not_run": len(tests), "evaluator": evaluator(Path(task))}
    except (OSError, ValueError, KeyError, TypeError):
        return {**result, "error_code": "task_unreadable", "took_ms": _ms(began)}
    with tempfile.TemporaryDirectory(prefix="agensh-suite-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        if not _check_out(str(repository), commit, scratch):
            return {**result, "error_code": "checkout_failed", "took_ms": _ms(began)}
        (scratch / "job.json").write_text(json.dumps({"tests": tests, "build": _build(Path(task)), **bounds}), "utf-8")
        result |= _run(scratch, began + bounds["wall_s"])
    return {**result, "took_ms": _ms(began)}


def active_tests(task: Path) -> list[dict[str, Any]]:
    """The task's tests without the ignored ones, in the order of tests.json."""
    found = []
    for branch, listed in json.loads((task / "tests.json").read_text("utf-8")).items():
        cases = {case["name"]: case for case in json.loads((task / "tests" / f"{branch}.json").read_text("utf-8"))}
        ignored = set(listed.get("ignored") or [])
        found += [cases[name] for name in listed["tests"] if name not in ignored]
    return found


def evaluator(task: Path) -> str:
    """Name, version and a digest of the tests: two scores compare only if these are equal."""
    digest = sha256()
    for path in [task / "tests.json", *sorted((task / "tests").glob("*.json"))]:
        digest.update(path.read_bytes())
    return f"{NAME}/{VERSION}+{digest.hexdigest()[:12]}"


def _build(task: Path) -> dict[str, str]:
    listed = json.loads((task / "docs" / "subtasks.json").read_text("utf-8"))
    return {"command": listed["build"], "program": listed["program"]}


def _check_out(repository: str, commit: str, scratch: Path) -> bool:
    """Put the commit's files into `scratch/program`; the repository itself is only read."""
    if not commit or commit.startswith("-"):
        return False
    program = scratch / "program"
    program.mkdir()
    env = {**os.environ, "GIT_INDEX_FILE": str(scratch / "index"), "GIT_TERMINAL_PROMPT": "0"}
    quiet = {"capture_output": True, "env": env, "timeout": 60}
    try:
        if not Path(repository).is_dir():
            bare = scratch / "repository.git"
            subprocess.run(["git", "clone", "-q", "--bare", "--", repository, str(bare)], check=True, **quiet)  # type: ignore[call-overload]
            repository = str(bare)
        git = ["git", "-c", "core.hooksPath=/dev/null", f"--git-dir={repository}", f"--work-tree={program}"]
        subprocess.run([*git, "checkout", "-q", "-f", commit, "--", "."], check=True, **quiet)  # type: ignore[call-overload]
    except (subprocess.SubprocessError, OSError):
        return False
    return True


def _run(scratch: Path, deadline: float) -> dict[str, Any]:
    """Start the child in a session of its own and read what it wrote, whatever became of it."""
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LC_ALL": "C.UTF-8",
    }
    with open(scratch / "child.log", "wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-I", str(CHILD), str(scratch)],
            cwd=scratch,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        late = False
        try:
            child.wait(max(1.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            late = True
            child.terminate()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    try:
        outcome = json.loads((scratch / "outcome.json").read_text("utf-8"))
        found = {key: outcome[key] for key in ("passed", "not_run", "error_code")}
    except (OSError, ValueError, KeyError, TypeError):
        found = {"error_code": "crashed"}
    if late:
        found["error_code"] = "timeout"
    elif child.returncode != 0 and not found.get("error_code"):
        found["error_code"] = "crashed"
    return found


def _ms(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
