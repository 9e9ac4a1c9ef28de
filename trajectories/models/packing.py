"""Bytes kept small: zstd for what stays in the database."""

from __future__ import annotations

import threading

import zstandard

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
