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
