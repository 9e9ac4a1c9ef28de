"""A worker's ACP tap: steps, text and usage of its turns, shipped in batches."""

from __future__ import annotations

from random import Random
from typing import Any

from runs.simulate.bundle import Bundle, iso

BATCH = 120
TOOLS = (
    ("shell", "execute", "pytest -q tests/{}"),
    ("shell", "execute", "rg -n '{}' src"),
    ("edit", "edit", "src/{}.c"),
)
TOOLS += (("read", "read", "docs/{}.md"), ("shell", "execute", "git diff --stat"), ("shell", "execute", "make -j2"))


class Tap:
    """Collects a worker's items and delivers a batch whenever enough came together. Times passed in never go back."""

    def __init__(self, bundle: Bundle, worker: int, random: Random) -> None:
        self.bundle, self.worker, self.random = bundle, worker, random
        self.life, self.n, self.turn, self.calls = 1, 0, 0, 0
        self.at = 0
        self.input_tokens = self.output_tokens = 0
        self.first = 0
        self.items: list[dict[str, Any]] = []

    def item(self, at: int, dir: str, msg: dict[str, Any]) -> None:
        """Spool one message."""
        self.at = max(self.at, at)
        self.n += 1
        self.first = self.first if self.items else self.at
        stamp = {"n": self.n, "at": iso(self.at), "dir": dir, "session": 1, "turn": self.turn}
        self.items.append({**stamp, "msg": msg})
        if len(self.items) >= BATCH:
            self.ship()

    def ship(self) -> None:
        """Deliver what is spooled."""
        if not self.items:
            return
        first = self.items[0]["n"]
        body = {"worker": self.worker, "life": self.life, "sent_at": iso(self.at), "items": self.items}
        id = f"{self.worker}-{self.life}-{first}"
        headers = {"X-Agensh-Harness": "copilot/1.0.102"}
        self.bundle.deliver("acp", id, first, self.first, body, headers, sent_at=self.at)
        self.items = []

    def open(self, at: int, resumed: bool = False) -> None:
        """A session under the present life."""
        msg = {
            "kind": "session.opened",
            "life": self.life,
            "session": 1,
            "harness": "copilot/1.0.102",
            "resumed": resumed,
        }
        self.item(at, "loop", msg)

    def begin(self, at: int, trigger: str) -> None:
        """A turn starts."""
        self.turn += 1
        self.item(at, "loop", {"kind": "turn.started", "turn": self.turn, "trigger": trigger})

    def step(self, at: int, took: int, ok: bool, word: str) -> None:
        """One tool call from `at`, for `took` ms."""
        self.calls += 1
        tool, kind, title = self.random.choice(TOOLS)
        call = f"call_{self.calls}"
        start = {"sessionUpdate": "tool_call", "toolCallId": call, "title": title.format(word), "kind": kind}
        self.item(at, "from_agent", _update({**start, "status": "pending", "rawInput": {"tool": tool}}))
        end = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed" if ok else "failed"}
        self.item(at + took, "from_agent", _update({**end, "rawOutput": {"exit_code": 0 if ok else 1}}))
        self.input_tokens += 9_000 + self.random.randrange(20_000)
        self.output_tokens += 150 + self.random.randrange(500)

    def finish(self, at: int, stop: str = "end_turn") -> None:
        """The turn ends with text and usage, cumulative per session as this harness counts."""
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done with this part."}}
        self.item(at - 20, "from_agent", _update(chunk))
        usage = {"inputTokens": self.input_tokens, "outputTokens": self.output_tokens, "thoughtTokens": 0}
        usage |= {"cachedReadTokens": self.input_tokens * 3 // 4, "totalTokens": self.input_tokens + self.output_tokens}
        answer = {"jsonrpc": "2.0", "id": self.turn + 1, "result": {"stopReason": stop, "usage": usage}}
        self.item(at - 10, "from_agent", answer)
        self.item(at, "loop", {"kind": "turn.finished", "turn": self.turn, "stop_reason": stop, "error": None})

    def note(self, at: int, kind: str, **fields: Any) -> None:
        """An item of the loop itself: a nudge, a reminder."""
        self.item(at, "loop", {"kind": kind, **fields})


def _update(body: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": body}}
