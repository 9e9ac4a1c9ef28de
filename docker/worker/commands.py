"""Commands to a worker: lines of `commands.jsonl` beside its file, `{"command": "nudge"}`, `{"command": "stop"}` or
`{"command": "say", "text": ".."}`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Commands:
    """Reads what was appended since the last look; `place` is where, to be kept over restarts."""

    def __init__(self, path: Path, place: int = 0) -> None:
        self._path, self.place = path, place

    def new(self) -> list[dict[str, Any]]:
        """Commands of whole new lines. A line that cannot be read is passed over."""
        try:
            if self._path.stat().st_size <= self.place:
                return []
            with self._path.open("rb") as file:
                file.seek(self.place)
                lines = file.read().splitlines(keepends=True)
        except OSError:
            return []
        found = []
        for line in lines:
            if not line.endswith(b"\n"):
                break
            self.place += len(line)
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict) and isinstance(said.get("command"), str):
                found.append(said)
        return found
