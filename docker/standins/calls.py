"""Which calls were made: every (method, route) a stand-in answered, once each, and every path it does not know."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any


class Calls:
    """Counts calls by method and route template; keeps `calls.jsonl`, one line per first time, for tests to read."""

    def __init__(self, data_dir: str | Path) -> None:
        self.path = Path(data_dir) / "calls.jsonl"
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._written: set[tuple[str, str, int]] = set()

    def note(self, method: str, route: str | None, path: str, status: int) -> None:
        """Remember a call. `route` is None where no route matched: that call is outside the list."""
        key = (method, route or path, status)
        with self._lock:
            self.counts[key[:2]] += 1
            if key in self._written or len(self._written) > 5_000:
                return
            self._written.add(key)
            line: dict[str, Any] = {"method": method, "route": route, "status": status}
            if route is None:
                line["path"] = path
            with self.path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")


def differences(data_dir: str | Path, listed: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """What a team did beside the list, and what the list says a team always does and this one never did.

    A listed call with `in_demo` `no` is spoken for tests of what ingest reads (edits, reactions, reports); a team that
    makes it is outside the list.
    """
    made: set[tuple[str, str]] = set()
    outside: list[str] = []
    known = {(call["method"], call["route"]): call["in_demo"] for call in listed}
    path = Path(data_dir) / "calls.jsonl"
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        call = json.loads(line)
        key = (call["method"], call["route"])
        if call["route"] is not None and "/info/refs" not in call["route"] and "/git-" not in call["route"]:
            made.add(key)
        if call["route"] is None or known.get(key) == "no":
            outside.append(f"{call['method']} {call.get('path') or call['route']}")
    never = [
        f"{method} {route}"
        for (method, route), when in known.items()
        if when == "always" and (method, route) not in made
    ]
    return sorted(set(outside)), sorted(never)
