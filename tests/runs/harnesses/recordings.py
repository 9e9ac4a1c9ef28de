"""Recordings of the real CLIs as items of a worker's tap. Each line of a file is `{"t", "dir": "in" | "out", "msg"}`, as it crossed the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajectories.events import iso
from trajectories.sources.acp import parse
from trajectories.sources.base import RawDelivery

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "acp"


def messages(name: str, direction: str = "in") -> list[dict[str, Any]]:
    """The messages of one direction: `in` = from the agent."""
    lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    return [line["msg"] for line in lines if line.get("dir") == direction]


def events(name: str) -> list[tuple[str, dict[str, Any]]]:
    """What the source `acp` makes of a recording: (kind, fields), in order."""
    items = []
    for n, line in enumerate((FOLDER / f"{name}.jsonl").read_text().splitlines(), 1):
        said = json.loads(line)
        if "msg" in said:
            way = "from_agent" if said["dir"] == "in" else "to_agent"
            items.append({"n": n, "at": iso(n), "dir": way, "session": 1, "turn": 1, "msg": said["msg"]})
    body = {"worker": 1, "life": 1, "items": items}
    found = parse(RawDelivery("1-1-1", 1, 0, 0, body, {"X-Agensh-Harness": f"{name.split('-')[0]}/1.0"}))
    return [(event.kind, dict(event.fields)) for event in found] if isinstance(found, list) else []


def of(name: str, kind: str) -> list[dict[str, Any]]:
    """The fields of a recording's events of one kind."""
    return [fields for found, fields in events(name) if found == kind]


def answer(name: str) -> dict[str, Any]:
    """The answer to the prompt: the last message with a result that has a stop reason, or with an error."""
    return [m for m in messages(name) if "stopReason" in (m.get("result") or {}) or "error" in m][-1]


def lines(name: str) -> list[dict[str, Any]]:
    """Every message with its direction."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def last_words(name: str) -> str:
    """The last text of the agent."""
    updates = [m["params"]["update"] for m in messages(name) if m.get("method") == "session/update"]
    return str([u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"][-1])
