"""Every choice that could fall either way is a draw: a hash, so the same question always gets the same answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def draw(*question: object) -> float:
    """A number in [0, 1) that depends on the question alone."""
    text = "\x1f".join(str(part) for part in question)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") / 2**64


def pick(candidates: Iterable[str], *question: object) -> list[str]:
    """The candidates in an order that the question decides."""
    return sorted(candidates, key=lambda candidate: (draw(*question, candidate), candidate))
