"""A CLI's own log, where it says what ACP does not (Copilot: every model call, its errors and its retries): handed over when the worker
ends, as one loop item a session, so that it is kept with the run and leaves with its bundle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

LOGS = {"copilot": ".copilot/session-state/*/events.jsonl"}  # below the worker's home, one folder a session
MOST = 15 << 20  # bytes of one log: what is older than its last so many is left out, and counted


def logs(harness: str, home: Path) -> Iterator[dict[str, Any]]:
    """Fields of an `agent.logged` item for each log: `name, session_id, bytes, left_out, text`. One that cannot be read is passed over."""
    pattern = LOGS.get(harness)
    for path in sorted(home.glob(pattern)) if pattern else []:
        try:
            data = path.read_bytes()
        except OSError:
            continue
        kept = data[-MOST:]
        if len(kept) < len(data):
            kept = kept[kept.find(b"\n") + 1 :]  # from a whole line on
        yield {
            "name": path.name,
            "session_id": path.parent.name,
            "bytes": len(data),
            "left_out": len(data) - len(kept),
            "text": kept.decode("utf-8", "replace"),
        }
