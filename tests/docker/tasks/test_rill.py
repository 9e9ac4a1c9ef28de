"""The demo task keeps its promises: its generated parts are up to date, each fault is what it says, the documents hold no answers."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

TASK = Path(__file__).parents[3] / "docker" / "tasks" / "rill"
SUBTASKS: dict[str, dict[str, Any]] = {
    s["id"]: s for s in json.loads((TASK / "docs/subtasks.json").read_text())["subtasks"]
}


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rill_build", TASK / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_task_has_its_parts() -> None:
    about = yaml.safe_load((TASK / "task.yaml").read_text())
    assert set(about) >= {"name", "title", "instance", "language", "time_limit_s"}
    listed = json.loads((TASK / "tests.json").read_text())
    assert len(SUBTASKS) >= 12
    assert sum(len(branch["tests"]) - len(branch["ignored"]) for branch in listed.values()) >= 60


def test_the_reference_is_built_from_the_good_solutions(build: ModuleType) -> None:
    assert (TASK / "reference/rill").read_bytes() == build.reference()


def test_the_recorded_answers_are_the_references(build: ModuleType) -> None:
    recorded = json.loads((TASK / "docs/expected.json").read_text())
    assert recorded == build.answers(TASK / "reference/rill")


def test_the_hidden_tests_are_not_among_the_acceptance_commands() -> None:
    shown = {command for subtask in SUBTASKS.values() for command in subtask["acceptance"]}
    hidden = [case["run"] for path in (TASK / "tests").glob("*.json") for case in json.loads(path.read_text())]
    assert sum(command in shown for command in hidden) <= len(hidden) // 10


def checked(folder: Path, subtask: str, variant: str) -> tuple[bool, bool]:
    """Whether the quick check and the whole check pass for a variant of a sub-task."""
    about = SUBTASKS[subtask]
    shutil.copytree(TASK / "seed", folder, dirs_exist_ok=True)
    shutil.copytree(TASK / "solutions" / subtask / "good", folder, dirs_exist_ok=True)
    table = folder / "rillib/commands.py"
    group = f"    # {about['group']}\n"
    table.write_text(table.read_text().replace(group, f"{group}{about['table_line']}\n"))
    if variant != "good":
        for edit in json.loads((TASK / "solutions" / subtask / variant / "edits.json").read_text())["edits"]:
            path = folder / edit["file"]
            text = path.read_text()
            assert text.count(edit["old"]) == 1
            path.write_text(text.replace(edit["old"], edit["new"]))
    subprocess.run(["sh", "build.sh"], cwd=folder, check=True)
    check = [sys.executable, "-IS", str(TASK / "docs/check.py"), subtask]
    codes = [subprocess.run([*check, *more], cwd=folder, capture_output=True).returncode for more in (["--quick"], [])]
    return codes[0] == 0, codes[1] == 0


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_a_good_solution_passes_one_fault_hides_and_one_shows(tmp_path: Path, subtask: str) -> None:
    assert checked(tmp_path / "good", subtask, "good") == (True, True)
    assert checked(tmp_path / "hidden", subtask, "faulty-1") == (True, False)
    assert checked(tmp_path / "plain", subtask, "faulty-2") == (False, False)
