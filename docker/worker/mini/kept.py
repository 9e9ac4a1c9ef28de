"""Conversations on disk, so that a session outlives its process: `~/.mini/<session>.json`, replaced whole after every step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worker.mini.history import Message, close_calls

INTERRUPTED = json.dumps({"error": "interrupted: the result is lost"})


class Kept:
    """The conversation of one session."""

    def __init__(self, folder: Path, session: str) -> None:
        self._path = folder / f"{session}.json"

    def save(self, messages: list[Message]) -> None:
        """Keep the conversation as it is now. A disk that is full costs the resuming, not the turn."""
        beside = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(json.dumps(messages))
            beside.replace(self._path)
        except OSError:
            return

    def load(self) -> list[Message] | None:
        """The conversation, with a result for every call; None if there is none that can be read."""
        try:
            messages = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return None
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            return None
        close_calls(messages, INTERRUPTED)
        return messages


def told_again(messages: list[Message]) -> list[tuple[str, dict[str, Any]]]:
    """The conversation as the events it was when it happened: what a client is shown when the session is loaded."""
    found: list[tuple[str, dict[str, Any]]] = []
    results = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
    for message in messages:
        if message["role"] == "user":
            found.append(("user", {"text": message["content"]}))
        if message["role"] == "assistant" and message.get("content"):
            found.append(("text", {"text": message["content"]}))
        for call in message.get("tool_calls") or []:
            name, text = call["function"]["name"], results.get(call["id"], INTERRUPTED)
            asked = {"name": name, "title": name, "kind": "other", "arguments": call["function"]["arguments"]}
            found.append(("call", {"id": call["id"], **asked}))
            found.append(("done", {"id": call["id"], "failed": False, "texts": [text], "output": {"content": [text]}}))
    return found
