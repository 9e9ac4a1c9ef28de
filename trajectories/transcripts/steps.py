"""One step: a tool call and everything later said of it, merged. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.sources.acp.tools import exit_code, tool_name
from trajectories.transcripts.outputs import parts_of, terminal_of
from trajectories.transcripts.texts import arguments, listed, mapping

ENDED = ("completed", "failed", "cancelled")
_TERMINAL_MOST = 2_000_000  # characters of terminal output kept of one step


def agent_of(update: Mapping[str, Any]) -> str:
    """The sub-agent that makes this call; empty for the worker itself."""
    meta = mapping(update.get("_meta"))
    said = mapping(meta.get("github.com/copilot")).get("agentId") or mapping(meta.get("claudeCode")).get(
        "parentToolUseId"
    )
    return str(said)[:80] if said else ""


class Step:
    """Collects the updates of one call. `told(clip)` gives the entry's fields."""

    def __init__(self, at: int, n: int, call: str, agent: str, harness: str) -> None:
        self.at, self.n, self.upto = at, n, n
        self.call, self.agent, self.harness = call, agent, harness
        self.merged: dict[str, Any] = {}
        self.terminal = ""
        self.status = "pending"
        self.ended: int | None = None
        self.exit: int | None = None
        self.permission: dict[str, Any] | None = None

    def take(self, update: Mapping[str, Any], at: int, n: int) -> None:
        """One `tool_call` or `tool_call_update`."""
        self.upto = n
        for name, value in update.items():
            if name == "_meta":
                self.merged["_meta"] = {**mapping(self.merged.get("_meta")), **mapping(value)}
            elif value not in (None, "", [], {}):
                self.merged[name] = value
        self.terminal = (self.terminal + terminal_of(update))[:_TERMINAL_MOST]
        status = str(update.get("status") or "")
        if status:
            self.status = status[:40]
        if status in ENDED:
            self.ended = at
        code = exit_code(update, self.harness)
        self.exit = self.exit if code is None else code

    @property
    def is_open(self) -> bool:
        """No end was heard yet."""
        return self.ended is None

    @property
    def failed(self) -> bool:
        """It ended badly, or its command did."""
        return self.status in ("failed", "cancelled") or self.exit not in (None, 0)

    def told(self, clip: int | None) -> dict[str, Any]:
        """The entry's own fields."""
        merged = self.merged
        places = [mapping(place) for place in listed(merged.get("locations"))[:8]]
        return {
            "tool": tool_name(merged, self.harness),
            "what": str(merged.get("kind") or "other")[:40],
            "title": str(merged.get("title") or "")[:400],
            "status": self.status,
            "failed": self.failed,
            "exit": self.exit,
            "took_ms": None if self.ended is None else max(0, self.ended - self.at),
            "agent": self.agent,
            "places": [_place(place) for place in places],
            "args": arguments(merged.get("rawInput"), clip),
            "parts": parts_of(merged, self.terminal, clip),
            "permission": self.permission,
        }


def _place(place: Mapping[str, Any]) -> str:
    line = place.get("line")
    return f"{str(place.get('path') or '')[:300]}{f':{line}' if type(line) is int else ''}"
