"""The demo's task cut down to three sub-tasks and a model that does not pause: a team is done with it in some forty seconds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from tests.docker.stack.engine import ROOT

NAME = "rill-short"
KEPT = ("csv", "sort", "table")
WHOLE = ROOT / "docker" / "tasks" / "rill"


def write_short_task(tasks: Path) -> Path:
    """Make the folder of the task below `tasks`. Its hidden tests are the kept sub-tasks' and those of the program as a whole that need no other."""
    place = tasks / NAME
    shutil.copytree(WHOLE, place, ignore=shutil.ignore_patterns("__pycache__"))
    about = yaml.safe_load((place / "task.yaml").read_text())
    about |= {
        "name": NAME,
        "title": "rill, three sub-tasks",
        "instance": "demo__rill.short",
        "time_limit_s": 120,
        "think_ms": 0,
    }
    (place / "task.yaml").write_text(yaml.safe_dump(about))
    listed = json.loads((place / "docs" / "subtasks.json").read_text())
    listed["subtasks"] = [row for row in listed["subtasks"] if row["id"] in KEPT]
    (place / "docs" / "subtasks.json").write_text(json.dumps(listed, indent=1))
    tests = json.loads((place / "tests.json").read_text())
    kept = {name: told for name, told in tests.items() if name in (*KEPT, "main")}
    kept["main"]["ignored"] = [name for name in kept["main"]["tests"] if _counts_commands(place, name)]
    (place / "tests.json").write_text(json.dumps(kept, indent=1))
    for path in (place, *place.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "reference" else 0o644)
    return place


def _counts_commands(place: Path, name: str) -> bool:
    """`rill help` lists every command: three of them are another text."""
    cases = {case["name"]: case["run"] for case in json.loads((place / "tests" / "main.json").read_text())}
    return "help" in cases[name]
