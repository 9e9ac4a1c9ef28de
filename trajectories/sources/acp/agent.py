"""What an agent's messages say: steps, texts, plans, permission requests and usage. By what is in the message, never by state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.sources.acp.item import Item, Said
from trajectories.sources.acp.tools import exit_code, tool_name
from trajectories.sources.acp.usage import cost_of, usage_of

_ENDED = {"completed": "completed", "failed": "failed", "cancelled": "cancelled"}
#: Updates that are known and say nothing we keep.
_SILENT = frozenset(
    [
        "user_message_chunk",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "plan_update",
        "plan_removed",
    ]
)
_ENTRIES = 50


def said_by_agent(item: Item, unknown: list[str]) -> list[Said]:
    """The events of one `from_agent` message."""
    msg: Mapping[str, Any] = item.msg
    params = msg.get("params")
    if type(params) is dict and msg.get("method") == "session/update":
        update = params.get("update")
        if type(update) is not dict:
            return []
        kind = update.get("sessionUpdate")
        return (
            _step(item, kind, update)
            if kind in ("tool_call_update", "tool_call")
            else _update(item, str(kind), update, unknown)
        )
    if msg.get("method") == "session/request_permission" and isinstance(params, dict):
        call = params.get("toolCall")
        if isinstance(call, dict):
            title = str(call.get("title") or "")[:300]
            return [("permission.asked", {"step": item.step(call.get("toolCallId")), "title": title})]
    elif isinstance(msg.get("result"), dict) and "stopReason" in msg["result"]:
        usage = usage_of(item, msg["result"].get("usage"))
        if usage is not None:
            return [("usage.reported", usage)]
    return []


def _update(item: Item, kind: str, update: Mapping[str, Any], unknown: list[str]) -> list[Said]:
    if kind in ("agent_message_chunk", "agent_thought_chunk"):
        content = update.get("content")
        text = content.get("text") if isinstance(content, dict) else None
        chars = _length(text)
        if chars:
            role = "answer" if kind == "agent_message_chunk" else "thought"
            return [("text.written", {"turn": item.turn, "role": role, "chars": chars})]
    elif kind == "plan":
        entries = update.get("entries")
        return [("plan.changed", {"entries": [_entry(entry) for entry in (entries or [])[:_ENTRIES]]})]
    elif kind == "usage_update":
        cost = cost_of(update.get("cost"))
        if cost is not None:
            # `used` is how full the context is, no token was spent by it; the cost is the session's so far.
            figures = dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"))
            return [("usage.reported", {"session": item.session, "scope": "session", **figures, "cost_microusd": cost})]
    elif kind not in _SILENT:
        unknown.append(f"update {kind[:60]}")
    return []


def _step(item: Item, kind: str, update: Mapping[str, Any]) -> list[Said]:
    said: list[Said] = []
    get = update.get
    step = item.step(get("toolCallId"))
    if kind == "tool_call":
        tool, sort, title = tool_name(update, item.harness), str(get("kind") or "other")[:40], get("title")
        title = title[:300] if type(title) is str else str(title or "")[:300]
        said.append(("step.started", {"step": step, "turn": item.turn, "tool": tool, "kind": sort, "title": title}))
    status = get("status")
    status = _ENDED.get(status if type(status) is str else str(status))
    if status is not None:
        code = exit_code(update, item.harness)
        said.append(("step.finished", {"step": step, "status": status, "exit_code": code}))
    return said


def _entry(entry: object) -> dict[str, Any]:
    entry = entry if isinstance(entry, dict) else {}
    return {name: str(entry.get(name) or "")[:300] for name in ("content", "priority", "status")}


def _length(text: object) -> int:
    """Characters of a text; bytes of one that was cut out of the stream."""
    if isinstance(text, str):
        return len(text)
    mark = text.get("$cut") if isinstance(text, dict) else None
    size = mark.get("bytes") if isinstance(mark, dict) else None
    return size if isinstance(size, int) and size >= 0 else 0
