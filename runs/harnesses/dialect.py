"""How one agent speaks ACP where the agents differ: how it counts tokens, names its tools and says exit codes. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Update = Mapping[str, Any]
_EXIT = re.compile(r"(?:^|\n)(?:Error: )?Exit code (-?\d{1,6})\b|completed with exit code (-?\d{1,6})>")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a normaliser must know of an agent.

    `usage_scope`: whether a PromptResponse's usage is the prompt's own or the session's so far. `cached_apart`: whether `inputTokens` leaves
    the cached part out. `own_cost`: whether it says dollars itself (else they are computed from tokens). `tool` gives the tool's own name of
    a `tool_call`, or ""; `guesses` if it has only the title to go by. `exit_code` gives a finished shell step's code, or None.
    """

    usage_scope: Literal["prompt", "session"] = "prompt"
    cached_apart: bool = False
    own_cost: bool = False
    team_prefix: str = ""
    guesses: bool = False
    tool: Callable[[Update], str] = lambda update: ""
    exit_code: Callable[[Update], int | None] = lambda update: None


def section(value: object, *path: str) -> Update:
    """The mapping at a path of keys; empty where there is none."""
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value if type(value) is dict else {}


def whole(value: object) -> int | None:
    """A whole number, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def code_in_words(update: Update) -> int | None:
    """The exit code that a shell result says in its text: `Exit code 1`, `<shellId: 0 completed with exit code 0>`."""
    output = update.get("rawOutput")
    text = output if isinstance(output, str) else section(output).get("content")
    found = _EXIT.search(text[-4000:] if len(text) > 8000 else text) if isinstance(text, str) else None
    return int(found[1] or found[2]) if found else None
