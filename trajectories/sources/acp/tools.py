"""The tool of a step and the exit code of a shell step, in the words of the agent that took it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from runs.harnesses import HARNESSES, dialect
from runs.harnesses.dialect import Dialect, code_in_words

NAME = 80
KIND = 40


def tool_name(update: Mapping[str, Any], harness: str) -> str:
    """The tool's own name where the agent gives it (`shell` for its shell), without the server's; `shell` for a command without one,
    else the kind of the step."""
    for spoken in _dialects(harness):
        if name := spoken.tool(update):
            return name.removeprefix(spoken.team_prefix)[:NAME]
    return "shell" if update.get("kind") == "execute" else str(update.get("kind") or "other")[:KIND]


def exit_code(update: Mapping[str, Any], harness: str) -> int | None:
    """The exit code of a finished shell step; None where the agent does not say."""
    for spoken in _dialects(harness):
        if (code := spoken.exit_code(update)) is not None:
            return code
    output = update.get("rawOutput")
    return None if output is None or (type(output) is dict and "content" not in output) else code_in_words(update)


@lru_cache(64)
def _dialects(harness: str) -> tuple[Dialect, ...]:
    """The agent's own; every one we know for an agent whose name we do not, since a recording may come from anywhere."""
    if harness in HARNESSES:
        return (dialect(harness),)
    return tuple(sorted(map(dialect, HARNESSES), key=lambda spoken: spoken.guesses))
