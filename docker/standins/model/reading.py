"""From the messages of any wire format to a Conversation: who spoke, what was called, what came back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from standins.model.mind import NAMED, Conversation, Exchange, first_prompt
from standins.model.toolbox import Tool, Toolbox, plain_name

TEXT_ONLY = ("Respond with TEXT ONLY", "respond with text only")
ASIDE = ("<system-reminder>", "<environment_context>", "<user_instructions>", "# AGENTS.md")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing in a conversation: kind `user`, `call` or `result`; a call and its result share the id."""

    kind: str
    text: str = ""
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the mind needs it, and what the writer of the answer needs."""

    conversation: Conversation
    toolbox: Toolbox
    stream: bool
    model: str
    input_tokens: int
    cached_tokens: int
    include_usage: bool = True


def conversation(items: Iterable[Said], toolbox: Toolbox, wants_text: bool) -> Conversation:
    """The first prompt, and what was called and answered since the last thing the user said."""
    said = list(items)
    users = [s.text for s in said if s.kind == "user" and not s.text.lstrip().startswith(ASIDE)]
    start = max((n for n, s in enumerate(said) if is_turn(s)), default=-1) + 1
    names = {s.id: s.name for s in said if s.kind == "call"}
    since = tuple(Exchange(plain_name(names.get(s.id, s.name)), s.text) for s in said[start:] if s.kind == "result")
    asked = users[-1] if users else ""
    quiet = wants_text or any(words in asked for words in TEXT_ONLY)
    return Conversation(first_prompt(users), since, toolbox.names, quiet, len(said))


def is_turn(said: Said) -> bool:
    """Whether this begins a turn: the user's words, not a reminder that the harness put in between."""
    return said.kind == "user" and (NAMED in said.text or not said.text.lstrip().startswith(ASIDE))


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return len(text) // 4 + 1


def toolbox_of(tools: list[Any]) -> Toolbox:
    """The tools of a request, in any of the three shapes, namespaces included."""
    found: list[Tool] = []
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        if tool.get("type") == "namespace":
            for inner in tool.get("tools") or []:
                schema = inner.get("parameters") or inner.get("input_schema") or {}
                found.append(Tool(str(inner.get("name")), schema, str(tool.get("name"))))
            continue
        inner_body = tool.get("function")
        body: dict[str, Any] = inner_body if isinstance(inner_body, dict) else tool
        name = body.get("name") or ("local_shell" if tool.get("type") == "local_shell" else "")
        if name:
            found.append(Tool(str(name), body.get("parameters") or body.get("input_schema") or {}))
    return Toolbox(found)
