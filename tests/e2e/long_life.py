"""A bundle of one worker with ten thousand steps, with everything a transcript must show: what real agents say, hostile text, a cut string."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fixtures.manifests import write_manifest

TURNS, STEPS = 20, 500
FAILS = 137  # every 137th step fails
BATCH = 200
BEGAN = datetime(2026, 11, 29, 9, tzinfo=UTC)
BLOB = ("line of a very long output\n" * 20_000).encode()
SHA = hashlib.sha256(BLOB).hexdigest()
ANSI = "\x1b[1;31mFAILED\x1b[0m test_one \x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07 <script>alert(2)</script>\r\n"
SLUG = "long-life"


def _iso(s: float) -> str:
    return (BEGAN + timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Life:
    """Items one after the other, a tenth of a second apart."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.turn = 0

    def put(self, direction: str, **msg: Any) -> None:
        n = len(self.items) + 1
        self.items.append({"n": n, "at": _iso(n / 10), "dir": direction, "session": 1, "turn": self.turn, "msg": msg})

    def update(self, kind: str, /, **fields: Any) -> None:
        self.put("from_agent", method="session/update", params={"update": {"sessionUpdate": kind, **fields}})

    def step(self, k: int) -> None:
        call, failed = f"call_{self.turn}_{k}", (self.turn * STEPS + k) % FAILS == 0
        self.update(
            "tool_call", toolCallId=call, title=f"make test{k}", kind="execute", rawInput={"command": f"make test{k}"}
        )
        output: Any = f"ran {self.turn} {k}\n" + ("more\n" * (k % 7))
        if k == 3:
            output = ANSI
        if k == 4 and self.turn == 1:
            output = {"$cut": {"head": "line of a very long output\n" * 100, "bytes": len(BLOB), "sha256": SHA}}
        status = "failed" if failed else "completed"
        self.update("tool_call_update", toolCallId=call, status=status, rawOutput=output)

    def whole(self) -> list[dict[str, Any]]:
        """All items."""
        self.put("loop", kind="session.opened", life=1, harness="claude/0.49.0", resumed=False)
        for turn in range(1, TURNS + 1):
            self.turn = turn
            self.put("loop", kind="turn.started", turn=turn, trigger="first" if turn == 1 else "inbox")
            self.put(
                "to_agent",
                id=turn,
                method="session/prompt",
                params={"prompt": [{"type": "text", "text": f"Prompt {turn}"}]},
            )
            self.update("plan", entries=[{"content": "Write tests", "status": "in_progress", "priority": "high"}])
            diff = {"type": "diff", "path": "src/a.py", "oldText": "one\ntwo\nthree\n", "newText": "one\n2\nthree\n"}
            self.update("tool_call", toolCallId=f"edit_{turn}", title="Edit a.py", kind="edit", content=[diff])
            self.update("tool_call_update", toolCallId=f"edit_{turn}", status="completed")
            for k in range(STEPS):
                if k % 9 == 0:
                    self.update("agent_message_chunk", content={"type": "text", "text": f"Going on with test{k}."})
                self.step(k)
            self.put(
                "from_agent",
                id=turn,
                result={
                    "stopReason": "end_turn",
                    "usage": {"inputTokens": 9000, "outputTokens": 500, "totalTokens": 9500},
                },
            )
            self.put("loop", kind="turn.finished", turn=turn, stop_reason="end_turn", error=None)
        return self.items


def write(folder: Path) -> Path:
    """The bundle as a folder."""
    (folder / "deliveries").mkdir(parents=True)
    (folder / "blobs").mkdir()
    (folder / "blobs" / SHA).write_bytes(BLOB)
    items = Life().whole()
    spec = {"name": "A long life", "slug": SLUG, "task": "calc", "workers": 1, "duration_s": 4000, "model": "none"}
    write_manifest(folder, spec, _iso(0), _iso(len(items) / 10), scripted=False)
    told = [
        ("run.started", 0.0, spec),
        (
            "worker.enrolled",
            0.01,
            {"worker": 1, "name": "w0001", "node": "local", "harness": "claude", "model": "none"},
        ),
        ("worker.joined", 0.02, {"worker": 1, "life": 1}),
        ("run.ended", len(items) / 10, {"outcome": "ended", "reason": "done"}),
    ]
    lines = []
    for n, (kind, s, fields) in enumerate(told, 1):
        body = {"n": n, "at": _iso(s), "kind": kind, "fields": fields}
        lines.append({"id": str(n), "seq": n, "at": _iso(s), "received_at": _iso(s), "headers": {}, "body": body})
    _lines(folder / "deliveries" / "run.jsonl", lines)
    batches = []
    for start in range(0, len(items), BATCH):
        mine = items[start : start + BATCH]
        body = {"worker": 1, "life": 1, "sent_at": mine[-1]["at"], "items": mine}
        first = mine[0]["n"]
        batches.append(
            {
                "id": f"1-1-{first}",
                "seq": first,
                "at": mine[0]["at"],
                "received_at": mine[-1]["at"],
                "headers": {"X-Agensh-Harness": "claude/0.49.0"},
                "body": body,
            }
        )
    _lines(folder / "deliveries" / "acp.jsonl", batches)
    return folder


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
