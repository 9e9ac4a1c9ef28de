"""The same conversation in the three wire formats, for tests."""

from __future__ import annotations

import json
from typing import Any

PROMPT = (
    "Your name is w0007.\nTask: rill\nTask folder: /tasks/rill\nRepository: http://127.0.0.1:1/team/rill.git\n\nGo."
)
TEAM = [
    "board_read",
    "board_write",
    "chat_direct",
    "chat_post",
    "repo_pulls",
    "repo_open_pull",
    "repo_review",
    "repo_merge",
]
Turn = tuple[str, str]  # tool as the harness names it, its result


def chat(turns: list[Turn], prompt: str = PROMPT, stream: bool = False, **extra: Any) -> dict[str, Any]:
    """mini: a `shell`, tools by their plain names."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": prompt}]
    for n, (tool, result) in enumerate(turns):
        call = {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in ["shell", *TEAM]
    ]
    return {"model": "scripted", "messages": messages, "tools": tools, "stream": stream, **extra}


def messages(turns: list[Turn], prompt: str = PROMPT, stream: bool = False, **extra: Any) -> dict[str, Any]:
    """Claude Code: `Bash`, tools under `mcp__team__`, reminders before the user's words."""
    blocks = [{"type": "text", "text": "<system-reminder>date</system-reminder>"}, {"type": "text", "text": prompt}]
    said: list[dict[str, Any]] = [{"role": "user", "content": blocks}]
    for n, (tool, result) in enumerate(turns):
        name = "Bash" if tool == "shell" else f"mcp__team__{tool}"
        said.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{n}", "name": name, "input": {}}]})
        content = [{"type": "text", "text": result}]
        said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": content}]})
    tools = [{"name": "Bash", "input_schema": {"required": ["command", "description"]}}]
    tools += [{"name": f"mcp__team__{name}", "input_schema": {}} for name in TEAM]
    return {"model": "claude", "max_tokens": 100, "messages": said, "tools": tools, "stream": stream, **extra}


def responses(turns: list[Turn], prompt: str = PROMPT, stream: bool = False, **extra: Any) -> dict[str, Any]:
    """Codex: `exec_command` with `cmd`, tools in a namespace, its environment as a user message of its own."""
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]},
    ]
    for n, (tool, result) in enumerate(turns):
        name = "exec_command" if tool == "shell" else tool
        items.append({"type": "function_call", "call_id": f"f{n}", "name": name, "arguments": "{}"})
        items.append({"type": "function_call_output", "call_id": f"f{n}", "output": result})
    inner = [{"type": "function", "name": name, "parameters": {}} for name in TEAM]
    tools = [
        {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {"type": "string"}}}},
        {"type": "namespace", "name": "mcp__team", "tools": inner},
    ]
    return {"model": "gpt", "input": items, "tools": tools, "stream": stream, **extra}


BOARD = json.dumps({"notes": [], "upto": 0})
PULLS = json.dumps({"pulls": []})
ARRIVED = json.dumps({"exit_code": 0, "output": "abc Seed\n[now 2026-11-29T17:00:00Z]\n[exit 0]\n"})
START = [("board_read", BOARD), ("repo_pulls", PULLS), ("shell", ARRIVED)]
