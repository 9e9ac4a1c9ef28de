"""The last words of a program, where the pages look for them: its container may be gone in a moment."""

from __future__ import annotations

from pathlib import Path

from runs.backends.compose import engine
from runs.backends.files import write_whole

LINES = 200


def keep_log(folder: Path, name: str, service: bool, container: str) -> None:
    """Write the end of what it printed to `log.txt` of its place in the run folder, if it has one."""
    place = folder / ("services" if service else "workers") / name
    if place.is_dir():
        write_whole(place / "log.txt", engine.log_tail(container, LINES))
