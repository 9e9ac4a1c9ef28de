"""The task as the scripted model knows it: the sub-tasks everyone sees, and the solutions and faults nobody else reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SubTask:
    """One command of the program: where it is written, its line in the shared table, its variants."""

    id: str
    title: str
    group: str
    table_line: str
    path: str
    folder: Path

    @cached_property
    def good(self) -> dict[str, str]:
        """The right files, by path."""
        root = self.folder / "good"
        return {str(p.relative_to(root)): p.read_text("utf-8") for p in sorted(root.rglob("*")) if p.is_file()}

    def variant(self, name: str) -> dict[str, str]:
        """The files of a variant: `good`, or the good ones with the edits of a fault."""
        files = dict(self.good)
        if name == "good":
            return files
        for edit in json.loads((self.folder / name / "edits.json").read_text("utf-8"))["edits"]:
            files[edit["file"]] = files[edit["file"]].replace(edit["old"], edit["new"])
        return files


@dataclass(frozen=True)
class Task:
    """A task folder, read once."""

    name: str
    table: str
    build: str
    subtasks: dict[str, SubTask]

    @classmethod
    def read(cls, folder: Path) -> Task:
        listed: dict[str, Any] = json.loads((folder / "docs" / "subtasks.json").read_text("utf-8"))
        found = {
            row["id"]: SubTask(
                row["id"],
                row["title"],
                row["group"],
                row["table_line"],
                row["paths"][0],
                folder / "solutions" / row["id"],
            )
            for row in listed["subtasks"]
        }
        return cls(listed["program"], listed["table"], listed["build"], found)
