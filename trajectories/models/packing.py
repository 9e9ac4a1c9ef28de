"""Bytes kept small: zstd for what stays in the database, and for long tables so that one row can be read alone."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import orjson
import zstandard

LONG = 2_000  # rows from which on a table lies in blocks: a twentieth of what its rows take in memory
BLOCK = 64  # rows: some 30 KB of JSON, a tenth of a millisecond to read
_BETWEEN = b",\n"  # rows of a block: JSON has no line breaks of its own

_mine = threading.local()  # a (de)compressor may not be shared between threads, and is dear to make


def pack(raw: bytes) -> bytes:
    """zstd with the size in its frame."""
    if not hasattr(_mine, "packer"):
        _mine.packer = zstandard.ZstdCompressor(level=3)
    packed: bytes = _mine.packer.compress(raw)
    return packed


def unpack(packed: bytes | memoryview) -> bytes:
    """What `pack` was given."""
    if not hasattr(_mine, "unpacker"):
        _mine.unpacker = zstandard.ZstdDecompressor()
    raw: bytes = _mine.unpacker.decompress(bytes(packed))
    return raw


@dataclass(frozen=True, slots=True)
class Blocks:
    """A table in order: its keys, and `BLOCK` rows to a block of compressed JSON."""

    keys: list[Any]
    packed: list[bytes]

    @classmethod
    def of(cls, rows: Mapping[Any, Any]) -> Self:
        """Of rows as JSON can hold them."""
        found = iter(rows.values())
        packed = []
        while lines := [orjson.dumps(row) for row in islice(found, BLOCK)]:
            packed.append(pack(_BETWEEN.join(lines)))
        return cls(list(rows), packed)

    def lines(self, block: int) -> list[bytes]:
        """The rows of a block, each as JSON."""
        return unpack(self.packed[block]).split(_BETWEEN)

    def rows(self, packed: Iterable[bytes] | None = None) -> list[Any]:
        """Every row; or those of these blocks."""
        texts = map(unpack, self.packed if packed is None else packed)
        found: list[Any] = orjson.loads(b"[%s]" % _BETWEEN.join(texts))
        return found


def in_blocks(rows: Mapping[Any, Any]) -> Blocks | None:
    """A long table's; None for a short one, which is read whole."""
    return Blocks.of(rows) if len(rows) > LONG else None
