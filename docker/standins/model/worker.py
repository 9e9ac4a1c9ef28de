"""One worker's standing in a conversation: who it is, where its things are, how it draws, how it looks around."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from standins.model.draw import draw, pick
from standins.model.picture import Picture
from standins.model.shell import Shell
from standins.model.steps import CLOCK, Call, Result
from standins.model.task import SubTask, Task

Steps = Generator[Call, Result, None]
WHOLE_EVERY = 4
NAME = re.compile(r"Your name is ([A-Za-z0-9._-]*[A-Za-z0-9])")


def line_of(prompt: str, word: str) -> str:
    found = re.search(rf"^\s*{word}: *(\S+)", prompt, re.MULTILINE)
    return found.group(1) if found else ""


@dataclass
class Worker:
    """Draws depend on seed and prompt, so equal workers differ; everything else is read from the team's services."""

    seed: str
    prompt: str
    task: Task
    tools: frozenset[str]
    name: str = ""
    looks: int = 0
    sh: Shell = field(init=False)
    picture: Picture = field(init=False)

    def __post_init__(self) -> None:
        found = NAME.search(self.prompt)
        self.name = found.group(1) if found else "worker"
        self.sh = Shell(self.task, line_of(self.prompt, "Repository"), line_of(self.prompt, "Task folder"))
        self.picture = Picture(self.name)

    def draw(self, *candidate: object) -> float:
        return draw(self.seed, self.prompt, *candidate)

    def order(self, candidates: list[str], *question: object) -> list[str]:
        return pick(candidates, self.seed, self.prompt, *question)

    @property
    def alone(self) -> bool:
        """Whether no team is around: a single-agent baseline has no board."""
        return "board_read" not in self.tools

    @property
    def peers(self) -> int:
        return 0 if self.alone else 2

    def call(self, tool: str, say: str = "", **arguments: Any) -> Generator[Call, Result, Result]:
        """One tool call; a tool that this conversation does not have answers with an error at once."""
        if tool not in self.tools:
            return Result("", {"error": f"there is no tool {tool}"})
        result = yield Call(tool, arguments, say)
        for item in result.inbox:
            self.picture.see_time(str(item.get("at")))
        return result

    def shell(self, command: str, say: str = "") -> Generator[Call, Result, Result]:
        result = yield from self.call("shell", say, command=command)
        for at in CLOCK.findall(result.output):
            self.picture.see_time(at)
        return result

    def look(self, say: str = "") -> Steps:
        """Read the board (what is new; every few times all of it, since claims run out) and the pulls."""
        after = max(self.picture.notes, default=0) if self.looks % WHOLE_EVERY else 0
        self.looks += 1
        board = yield from self.call("board_read", say, after=after)
        self.picture.see_notes(board.data, whole=not after)
        pulls = yield from self.call("repo_pulls", state="all")
        self.picture.see_pulls(pulls.data, set(self.task.subtasks))

    def note(self, kind: str, text: str, subtask: str, detail: str = "") -> Generator[Call, Result, Result]:
        arguments = {"type": kind, "text": text, "delegation_id": subtask} | ({"detail": detail} if detail else {})
        result = yield from self.call("board_write", **arguments)
        return result

    def subtask(self, name: str) -> SubTask:
        return self.task.subtasks[name]
