"""Tiles: what the browser is given at once of a settled run, made at settle, stored compressed and served as it is.

A tile is u32 length of a JSON head, the head, zeros up to a multiple of 8, then bytes that the head explains. Those whose name
begins with READING are for the server alone (`readings/kept.py`).
"""

from __future__ import annotations

import gzip
import hashlib
import struct
from typing import Any

import orjson

from trajectories.models import Tile

READING = "reading."


def pack(head: dict[str, Any], body: bytes) -> bytes:
    """A tile's bytes."""
    text = orjson.dumps(head)
    return struct.pack("<I", len(text)) + text + b"\0" * (-(4 + len(text)) % 8) + body


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """(head, body) of a tile's bytes."""
    (size,) = struct.unpack_from("<I", data)
    return orjson.loads(data[4 : 4 + size]), data[4 + size + -(4 + size) % 8 :]


def save(run_id: int, generation: int, name: str, data: bytes) -> None:
    """Store a tile of a generation; written again, it replaces the old one."""
    facts = {"bytes": len(data), "etag": hashlib.sha256(data).hexdigest(), "body": gzip.compress(data, 6, mtime=0)}
    Tile.objects.update_or_create(run_id=run_id, generation=generation, name=name, defaults=facts)


def forget(run_id: int, **which: int) -> None:
    """Remove a run's tiles, of a generation or of others: `generation=2`, `generation__lt=3`."""
    Tile.objects.filter(run_id=run_id, **which).delete()
