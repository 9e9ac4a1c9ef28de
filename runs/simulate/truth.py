"""What the simulator planted, by its own account: one JSON line each, in a file beside the bundle that nothing else reads.

It is written from what the simulated workers did and knew (who held which sub-task, who gave way, whose pull carried whose
lost work on), never from what a reader of the deliveries would make of them. Times are ms since the start.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Truth:
    """`plant(kind, **facts)`; kept in memory until `write`, a few facts for each worker and hour."""

    def __init__(self) -> None:
        self.planted: list[dict[str, Any]] = []

    def plant(self, kind: str, at: int, **facts: Any) -> dict[str, Any]:
        """Note a fact; the answer may be completed later."""
        fact = {"kind": kind, "at": at, **facts}
        self.planted.append(fact)
        return fact

    def write(self, path: Path, **about: Any) -> None:
        """One line that says what this is, then the facts in the order in which they came about."""
        lines = [{"format": "agensh-planted", "version": 1, "origin": "simulated", **about}, *self.planted]
        path.write_text("".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines))
