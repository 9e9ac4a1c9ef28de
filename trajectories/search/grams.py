"""Which pieces of one to three characters a stretch of documents holds, as a bitmap: it says "surely not here" or "look". Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 1 << 18
_WORDS = BITS // 8


def signature(text: str) -> bytes:
    """The bitmap of a folded text."""
    bits = np.zeros(BITS, dtype=np.bool_)
    codes = _codes(text)
    for size in (1, 2, 3):
        bits[_hashes(codes, size)] = True
    return np.packbits(bits).tobytes()


def may_hold(bitmap: bytes, text: str) -> bool:
    """False = the folded text is surely not there."""
    codes = _codes(text)
    wanted = _hashes(codes, min(3, len(codes)))
    held = np.frombuffer(bitmap, dtype=np.uint8)
    return bool(np.all(held[wanted >> 3] & (128 >> (wanted & 7)).astype(np.uint8)))


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)


def _hashes(codes: NDArray[np.uint32], size: int) -> NDArray[np.uint32]:
    """One hash for each piece of `size` characters. Equal on every machine."""
    if len(codes) < size:
        return np.zeros(0, dtype=np.uint32)
    mixed = np.full(len(codes) - size + 1, size, dtype=np.uint32)
    for k in range(size):
        mixed = (mixed ^ codes[k : len(codes) - size + 1 + k]) * np.uint32(0x9E3779B1)
        mixed ^= mixed >> np.uint32(15)
    return mixed % np.uint32(BITS)
