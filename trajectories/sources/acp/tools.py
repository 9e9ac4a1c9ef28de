"""The tool of a step and the exit code of a shell step, as each harness says them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: How the harnesses write a tool of the MCP server `team`: claude, copilot, codex.
_PREFIXES = ("mcp__team__", "team-", "mcp.team.")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,79}")
_EXIT = re.compile(r"(?:^|\n)(?:Error: )?Exit code (-?\d{1,6})\b|completed with exit code (-?\d{1,6})>")


def tool_name(update: Mapping[str, Any]) -> str:
    """The tool's own name where the harness gives it, `shell` for a command without one, else the kind of the step."""
    name = _own_name(update)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    if name:
        return name[:80]
    return "shell" if update.get("kind") == "execute" else str(update.get("kind") or "other")[:40]


def _own_name(update: Mapping[str, Any]) -> str:
    meta, asked = _map(update.get("_meta")), _map(update.get("rawInput"))
    for place in ("claudeCode", "mini"):
        name = _map(meta.get(place)).get("toolName")
        if isinstance(name, str) and name:
            return name
    if isinstance(update.get("name"), str):
        return str(update["name"])
    if isinstance(asked.get("tool"), str) and "server" in asked:
        return str(asked["tool"])
    title = update.get("title")
    # Copilot has no name: a title that is one word is the tool's, any other is about its arguments.
    return title if isinstance(title, str) and update.get("kind") != "execute" and _NAME.fullmatch(title) else ""


def exit_code(update: Mapping[str, Any]) -> int | None:
    """The exit code of a finished shell step; None where the harness does not say."""
    output = update.get("rawOutput")
    terminal = _map(_map(update.get("_meta")).get("terminal_exit"))
    for value in (_map(output).get("exit_code"), terminal.get("exit_code")):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    contents = _map(output).get("contents")
    for part in contents if isinstance(contents, list) else []:
        value = _map(part).get("exitCode")
        if _map(part).get("type") == "shell_exit" and isinstance(value, int):
            return value
    text = output if isinstance(output, str) else _map(output).get("content")
    found = _EXIT.search(text[-4000:] if len(text) > 8000 else text) if isinstance(text, str) else None
    return int(found[1] or found[2]) if found else None


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
