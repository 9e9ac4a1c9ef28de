"""The scorer `suite`: what it says of right, wrong, hanging, crashing and unbuildable commits."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runs.scorers import SCORERS, suite

TASK = Path(__file__).parents[3] / "docker" / "tasks" / "rill"
Commit = Callable[[dict[str, str]], tuple[Path, str]]
BUILD = "#!/bin/sh\ncp program.sh say && chmod +x say\n"


def git(folder: Path, *args: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@workers.invalid"]
    done = subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, files: dict[str, str]) -> tuple[Path, str]:
    """A repository with one commit of these files; its path and the commit."""
    folder.mkdir(exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    return folder / ".git", git(folder, "rev-parse", "HEAD")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A small task: a program `say` that prints its first argument; four tests, one of them ignored."""
    folder = tmp_path / "task"
    (folder / "docs").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "docs/subtasks.json").write_text(json.dumps({"program": "say", "build": "sh build.sh", "subtasks": []}))
    cases = [
        {"name": "a", "run": "say one", "output": "one\n", "code": 0},
        {"name": "b", "run": "say two", "output": "two\n", "code": 0},
        {"name": "c", "run": "say; echo $?", "output": "1\n", "code": 0},
        {"name": "d", "run": "say four", "output": "never\n", "code": 0},
    ]
    (folder / "tests/all.json").write_text(json.dumps(cases))
    (folder / "tests.json").write_text(json.dumps({"all": {"tests": ["a", "b", "c", "d"], "ignored": ["d"]}}))
    return folder


def scored(task: Path, tmp_path: Path, program: str, build: str = BUILD, **limits: int) -> dict[str, object]:
    repository, sha = commit(tmp_path / "repo", {"program.sh": program, "build.sh": build})
    return SCORERS["suite"].score(task, repository, sha, limits)


RIGHT = '#!/bin/sh\n[ -n "$1" ] || exit 1\necho "$1"\n'


def test_a_right_commit_passes_every_active_test(task: Path, tmp_path: Path) -> None:
    found = scored(task, tmp_path, RIGHT)
    assert (found["passed"], found["total"], found["not_run"], found["error_code"]) == (3, 3, 0, None)
    assert str(found["evaluator"]).startswith("suite/1+")


def test_a_partly_right_commit_passes_a_part(task: Path, tmp_path: Path) -> None:
    found = scored(task, tmp_path, '#!/bin/sh\n[ "$1" = two ] && echo 2 && exit 0\n' + RIGHT.split("\n", 1)[1])
    assert (found["passed"], found["not_run"], found["error_code"]) == (2, 0, None)


def test_a_commit_that_does_not_build_runs_nothing(task: Path, tmp_path: Path) -> None:
    found = scored(task, tmp_path, RIGHT, build="exit 3\n")
    assert (found["passed"], found["total"], found["not_run"], found["error_code"]) == (0, 3, 3, "compile_failed")


def test_a_crashing_program_fails_its_tests_and_no_more(task: Path, tmp_path: Path) -> None:
    found = scored(task, tmp_path, '#!/bin/sh\n[ "$1" = one ] && kill -9 $$\n' + RIGHT.split("\n", 1)[1])
    assert (found["passed"], found["not_run"], found["error_code"]) == (2, 0, None)


def test_a_hanging_program_ends_with_the_wall_limit_and_leaves_nothing(task: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    found = scored(task, tmp_path, "#!/bin/sh\nsleep 4711.5\n", wall_s=3)
    assert time.monotonic() - began < 15
    assert found["error_code"] == "timeout"
    assert found["passed"] == 0
    assert "4711.5" not in processes()


def processes() -> str:
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return "\n".join(lines)


def test_a_program_in_the_background_is_killed_with_its_test(task: Path, tmp_path: Path) -> None:
    found = scored(task, tmp_path, "#!/bin/sh\nsleep 4712.5 >/dev/null 2>&1 &\n" + RIGHT.split("\n", 1)[1])
    assert found["passed"] == 3
    assert "4712.5" not in processes()


def test_memory_is_limited(task: Path, tmp_path: Path) -> None:
    hungry = "#!/bin/sh\npython3 -c 'x = bytearray(1 << 30)' 2>/dev/null || exit 7\n" + RIGHT.split("\n", 1)[1]
    found = scored(task, tmp_path, hungry, memory_bytes=512 << 20)
    assert found["passed"] == 0


def test_an_unknown_commit_and_an_unreadable_task_have_codes_of_their_own(task: Path, tmp_path: Path) -> None:
    repository, sha = commit(tmp_path / "repo", {"program.sh": RIGHT, "build.sh": BUILD})
    assert suite.score(task, repository, "f" * 40)["error_code"] == "checkout_failed"
    assert suite.score(task, repository, "--help")["error_code"] == "checkout_failed"
    assert suite.score(tmp_path / "nothing", repository, sha)["error_code"] == "task_unreadable"


def test_a_url_is_cloned_first(task: Path, tmp_path: Path) -> None:
    _, sha = commit(tmp_path / "repo", {"program.sh": RIGHT, "build.sh": BUILD})
    assert suite.score(task, f"file://{tmp_path}/repo", sha)["passed"] == 3


def test_scoring_needs_no_django() -> None:
    import sys

    code = "import sys, runs.scorers; sys.exit('django' in sys.modules)"
    root = Path(__file__).parents[3]
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}).returncode
        == 0
    )


def test_the_seed_of_the_demo_task_passes_almost_nothing(tmp_path: Path) -> None:
    files = {
        str(p.relative_to(TASK / "seed")): p.read_text()
        for p in (TASK / "seed").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    repository, sha = commit(tmp_path / "repo", files)
    found = suite.score(TASK, repository, sha)
    assert found["error_code"] is None
    assert found["total"] >= 60
    assert 0 < found["passed"] <= 5


def test_the_good_solutions_of_the_demo_task_pass_everything(tmp_path: Path) -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("build", TASK / "build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    seed = {
        str(p.relative_to(TASK / "seed")): p.read_text()
        for p in (TASK / "seed").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    repository, sha = commit(tmp_path / "repo", {**seed, **build.sources()})
    found = suite.score(TASK, repository, sha)
    assert (found["passed"], found["error_code"]) == (found["total"], None)


def test_the_command_prints_one_line_of_json(task: Path, tmp_path: Path) -> None:
    import sys

    repository, sha = commit(tmp_path / "repo", {"program.sh": RIGHT, "build.sh": BUILD})
    command = [sys.executable, "-m", "runs.scorers", "--task-dir", task, "--repository", repository, "--commit", sha]
    root = Path(__file__).parents[3]
    done = subprocess.run([str(word) for word in command], cwd=root, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["passed"] == 3
