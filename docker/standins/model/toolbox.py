"""The tools of a request by their plain names: every harness calls the shell and the team's tools by names of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SHELLS = ("shell", "bash", "exec_command", "local_shell", "run_in_terminal")
TEAM = [
    "board_read",
    "board_write",
    "board_grep",
    "board_unfold",
    "chat_post",
    "chat_direct",
    "chat_read",
    "repo_pulls",
    "repo_pull",
    "repo_open_pull",
    "repo_request_review",
    "repo_review",
    "repo_dismiss_own_review",
    "repo_merge",
    "repo_close",
]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the harness names it."""

    name: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    namespace: str = ""


def plain_name(name: str) -> str:
    """`mcp__team__board_read`, `team-board_read` -> `board_read`; `Bash` -> `shell`; others as they are."""
    if name.lower() in SHELLS:
        return "shell"
    for known in TEAM:
        if name == known or re.search(rf"[^a-z]{known}$", name):
            return known
    return name


class Toolbox:
    """What may be called, and how."""

    def __init__(self, tools: list[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            plain = plain_name(tool.name)
            if plain == "shell" or plain in TEAM:
                self._tools.setdefault(plain, tool)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._tools)

    def arguments(self, plain: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as that tool wants them: a shell takes `command`, `cmd` or a list of words, and perhaps a description."""
        if plain != "shell":
            return arguments
        schema = self._tools[plain].schema
        properties: Mapping[str, Any] = schema.get("properties") or {}
        command = arguments["command"]
        if "cmd" in properties:
            return {"cmd": command}
        if (properties.get("command") or {}).get("type") == "array":
            return {"command": ["bash", "-c", command]}
        required = schema.get("required") or []
        extra = {"description": "Work in my clone"} if "description" in required else {}
        return {"command": command, **extra}

    def tool(self, plain: str) -> Tool:
        return self._tools[plain]


def parsed(arguments: Any) -> dict[str, Any]:
    """Arguments as a dict, whether they came as JSON text or as an object."""
    if isinstance(arguments, Mapping):
        return dict(arguments)
    try:
        value = json.loads(arguments or "{}")
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
