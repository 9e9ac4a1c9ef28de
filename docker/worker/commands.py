"""Commands of an operator: lines of `commands.jsonl` beside the worker's file, `{"command": "nudge"}` or `{"command": "stop"}`."""

from __future__ import annotations

import json
from pathlib import Path


class Commands:
    """Reads what was appended since the last look; `place` is where, to be kept over restarts."""

    def __init__(self, path: Path, place: int = 0) -> None:
        self._path, self.place = path, place

    def new(self) -> list[str]:
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
                found.append(str(json.loads(line)["command"]))
            except (ValueError, KeyError, TypeError):
                continue
        return found
