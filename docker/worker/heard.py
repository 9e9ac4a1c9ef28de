"""What the loop needs of an agent's messages in a turn: when it last spoke, which tools run, its last words, its answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

ENDED = ("completed", "failed")
WORDS = 2_000


@dataclass
class Heard:
    """One turn, from the agent's side."""

    at: float = field(default_factory=time.monotonic)
    running: set[str] = field(default_factory=set)
    steps: int = 0
    words: str = ""
    result: Any = None
    refused: bool = False  # it was refused a permission, and has neither called a tool nor found words since

    @property
    def silent_s(self) -> float:
        """Seconds since its last message while none of its tools runs; 0 while one does."""
        return 0.0 if self.running else time.monotonic() - self.at

    def take(self, message: dict[str, Any]) -> None:
        """A message of the agent's."""
        self.at = time.monotonic()
        if isinstance(message.get("result"), dict) and "stopReason" in message["result"]:
            self.result = message["result"]
        update = update_of(message)
        kind, content = update.get("sessionUpdate"), update.get("content")
        if kind in ("tool_call", "tool_call_update"):
            self.steps += kind == "tool_call"
            self.refused = self.refused and kind != "tool_call"
            step = str(update.get("toolCallId"))
            if update.get("status") in ENDED:
                self.running.discard(step)
            elif kind == "tool_call":
                self.running.add(step)
        elif kind == "agent_message_chunk":
            text = str(content.get("text") or "") if isinstance(content, dict) else ""
            # Only what came last counts; a chunk that starts an error starts the words anew.
            self.words = text if text.lstrip().startswith("Error: ") else (self.words + text)[-WORDS:]
            self.refused = self.refused and text.lstrip().startswith("Info: ")


def update_of(message: dict[str, Any]) -> dict[str, Any]:
    """The update that a message carries; empty if it carries none."""
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    return update if isinstance(update, dict) else {}
