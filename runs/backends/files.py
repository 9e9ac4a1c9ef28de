"""Small files that processes talk through: appended lines, replaced documents, and reading on from an offset."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def append_line(path: Path, value: dict[str, Any]) -> None:
    """Append one JSON line by a single write, so a reader sees it whole or not at all."""
    line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def read_lines(path: Path, offset: int, limit: int = 1 << 20) -> tuple[list[dict[str, Any]], int]:
    """The whole JSON lines after `offset`, at most `limit` bytes, and where to read on. A line that is no object is left out."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            block = file.read(limit)
    except FileNotFoundError:
        return [], offset
    block = block[: block.rfind(b"\n") + 1]
    found = []
    for line in block.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found, offset + len(block)


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step; a reader sees the old text or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    half.chmod(mode)
    half.replace(path)


def write_json(path: Path, value: Any, mode: int = 0o600) -> None:
    """Replace a JSON document in one step."""
    write_whole(path, json.dumps(value, indent=1), mode)


def read_json(path: Path) -> Any:
    """The document, or None if it is missing or broken."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def tail(path: Path, characters: int = 2000) -> str:
    """The end of a log as text; empty if there is none."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - characters))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
