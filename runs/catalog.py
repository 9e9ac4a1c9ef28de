"""What this installation offers a run: tasks found on disk, harnesses and backends by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from runs.backends import BACKENDS
from runs.harnesses import HARNESSES
from runs.models import Endpoint
from runs.spec import Known

THINK_MS = 600


@dataclass(frozen=True, slots=True)
class Task:
    """One task folder. `name` is the folder's name; `time_limit_s` is what its author thinks a team needs at most.

    `think_ms` is how long the scripted model pretends to think before each answer.
    """

    name: str
    title: str
    language: str
    time_limit_s: int
    folder: Path
    think_ms: int = THINK_MS


def tasks() -> list[Task]:
    """Every readable task of the folders in TASKS_DIRS, by name; the first folder to hold a name wins."""
    found: dict[str, Task] = {}
    for place in settings.TASKS_DIRS:
        for file in sorted(Path(place).glob("*/task.yaml")):
            task = _read(file)
            if task is not None:
                found.setdefault(task.name, task)
    return sorted(found.values(), key=lambda task: task.name)


def find_task(name: str) -> Task | None:
    """The task of that name, or None."""
    return next((task for task in tasks() if task.name == name), None)


def with_task(asked: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, on the first installed task where it names none."""
    installed = [] if "task" in asked else tasks()
    return {**asked, "task": installed[0].name} if installed else asked


def known() -> Known:
    """The names a spec may use here."""
    endpoints = tuple(Endpoint.objects.values_list("name", flat=True))
    return Known(tuple(task.name for task in tasks()), tuple(HARNESSES), tuple(BACKENDS), endpoints)


def _read(file: Path) -> Task | None:
    try:
        facts = yaml.safe_load(file.read_text())
        return Task(
            name=file.parent.name,
            title=str(facts.get("title") or file.parent.name),
            language=str(facts.get("language") or ""),
            time_limit_s=int(facts.get("time_limit_s") or 0),
            folder=file.parent,
            think_ms=int(facts.get("think_ms", THINK_MS)),
        )
    except (OSError, yaml.YAMLError, AttributeError, TypeError, ValueError):
        return None  # a broken folder must not take the form down; doctor names it
