"""Long strings leave the stream: over 64 KiB they become a head and a hash, and travel as a blob of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

LIMIT = 64 * 1024
HEAD = 32 * 1024
ITEM = 4 * 1024 * 1024

Keep = Callable[[str, bytes], None]


def cut(message: Any, keep: Keep) -> Any:
    """The message with every string over 64 KiB replaced; `keep(sha256, bytes)` is given each of them.

    A message that is still over 4 MiB (many strings, each below the limit) is cut as a whole.
    """
    try:
        small = _cut(message, keep)
        text = json.dumps(small)
    except RecursionError:
        return {"$cut": {"head": "", "bytes": 0, "sha256": "", "reason": "nested too deep"}}
    return small if len(text) <= ITEM else _replace(text, keep)


def _cut(value: Any, keep: Keep) -> Any:
    if isinstance(value, str):
        if len(value) <= LIMIT // 4 or len(value.encode("utf-8", "surrogatepass")) <= LIMIT:
            return value
        return _replace(value, keep)
    if isinstance(value, dict):
        return {name: _cut(item, keep) for name, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, keep) for item in value]
    return value


def _replace(text: str, keep: Keep) -> dict[str, Any]:
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    keep(digest, data)
    return {"$cut": {"head": data[:HEAD].decode("utf-8", "ignore"), "bytes": len(data), "sha256": digest}}
