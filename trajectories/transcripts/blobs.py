"""Long strings that were cut out of items, a stretch at a time: unpacked as far as asked, never whole in memory."""

from __future__ import annotations

import io
from typing import Any

import zstandard

from trajectories.models import Blob

PIECE = 256 * 1024
STEP = 1 << 20


def piece(run_id: int, sha256: str, after: int) -> dict[str, Any] | None:
    """`{"text", "next", "bytes"}` from byte `after` on; a character is never cut in two. None if there is no such blob."""
    row = Blob.objects.filter(run_id=run_id, sha256=sha256).values_list("body", "bytes").first()
    if row is None:
        return None
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(bytes(row[0]))) as reader:
        skipped = 0
        while skipped < after and (gone := reader.read(min(STEP, after - skipped))):
            skipped += len(gone)
        raw = reader.read(PIECE + 4)
    end = min(PIECE, len(raw))
    while 0 < end < len(raw) and raw[end] & 0xC0 == 0x80:  # the middle of a character
        end -= 1
    upto = after + end
    return {"text": raw[:end].decode("utf-8", "replace"), "next": upto if end < len(raw) else None, "bytes": row[1]}
