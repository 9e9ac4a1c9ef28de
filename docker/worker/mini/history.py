"""The conversation of a session, kept below the input limit: the oldest tool results go first, the first prompt never. Pure."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]

CHARS_A_TOKEN = 3.5  # an underestimate for code, so that the limit is met early rather than late
KEEP_LAST = 12
DROPPED = "(dropped to save space; call the tool again if you need it)"


def tokens(messages: list[Message]) -> int:
    """About how many tokens these messages are."""
    return int(sum(len(json.dumps(message, ensure_ascii=False)) for message in messages) / CHARS_A_TOKEN)


def trim(messages: list[Message], limit: int) -> int:
    """Make the messages fit, in place; how many results and turns were dropped.

    First old tool results lose their text, then whole old exchanges go (an assistant's message with all results of its calls), up to
    the present turn. System and first prompt stay.
    """
    if tokens(messages) <= limit:
        return 0
    dropped = 0
    for message in messages[: max(0, len(messages) - KEEP_LAST)]:
        if message["role"] == "tool" and len(message["content"]) > len(DROPPED):
            message["content"] = DROPPED
            dropped += 1
            if dropped % 16 == 0 and tokens(messages) <= limit:
                return dropped
    start = next((i for i, message in enumerate(messages) if message["role"] == "user"), 0) + 1
    while tokens(messages) > limit and len(messages) - start > KEEP_LAST:
        end = start + 1
        while end < len(messages) and messages[end]["role"] == "tool":
            end += 1
        del messages[start:end]
        dropped += 1
    return dropped


def close_calls(messages: list[Message], text: str) -> None:
    """Give every call of the last assistant message a result: an endpoint refuses a conversation with open calls."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i]["role"] == "assistant"), None)
    if last is None:
        return
    answered = {message["tool_call_id"] for message in messages[last + 1 :] if message["role"] == "tool"}
    for call in messages[last].get("tool_calls") or []:
        if call["id"] not in answered:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
