"""The decision: replay the script against the results since the last user message, and give what it asks for next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from standins.model.script import turn
from standins.model.steps import Call, read_result
from standins.model.task import Task
from standins.model.worker import Worker

NAMED = "Your name is "


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tool call of the conversation with its result."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What of a request counts: the first prompt, the calls answered since the last user message, the tools at hand."""

    prompt: str
    since_user: tuple[Exchange, ...]
    tools: frozenset[str]
    wants_text: bool
    length: int

    def key(self) -> str:
        return json.dumps([self.prompt, self.length, [e.text for e in self.since_user[-1:]]])


@dataclass(frozen=True, slots=True)
class Answer:
    """Words, and perhaps one tool call."""

    text: str
    call: Call | None = None


def decide(seed: str, task: Task, conversation: Conversation) -> Answer:
    """A pure function of the seed and the conversation. Requests that want only words get a few."""
    if conversation.wants_text or not conversation.tools:
        return Answer("I am one of a team; the board and the pulls hold all that matters. Reading them comes first.")
    worker = Worker(seed, conversation.prompt, task, conversation.tools)
    script = turn(worker)
    try:
        call = next(script)
        for exchange in conversation.since_user:
            # a harness may add calls of its own; only answers to what the script asked move it on
            if exchange.tool == call.tool:
                call = script.send(read_result(exchange.text))
    except StopIteration as end:
        return Answer(str(end.value))
    return Answer(call.say, call)


def steady(steps: int, conversation: Conversation) -> Answer:
    """No script: in every turn so many calls of the shell, then a word. For measuring what stands around a model."""
    done = sum(exchange.tool == "shell" for exchange in conversation.since_user)
    if conversation.wants_text or "shell" not in conversation.tools or done >= steps:
        return Answer("done")
    return Answer("", Call("shell", {"command": "true"}))


def first_prompt(user_texts: list[str]) -> str:
    """The user text that introduces the worker, else the first one."""
    return next((text for text in user_texts if NAMED in text), user_texts[0] if user_texts else "")


def as_text(content: Any) -> str:
    """The words of a message's content, in any of the wire formats."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return as_text(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := as_text(part)))
    return ""
