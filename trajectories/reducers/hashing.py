"""The State hash: sha256 over one canonical JSON line a row. The browser computes the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping

from trajectories.reducers.tables import Key, Row


def order_of(key: Key) -> tuple[bool, int, str]:
    """Integers by value, then strings by code point."""
    return (False, key, "") if isinstance(key, int) else (True, 0, key)


def lines(tables: Mapping[str, Mapping[Key, Row]]) -> Iterator[str]:
    """`[table,key,row]` as canonical JSON, one a line, in canonical order; empty tables say nothing."""
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
    for table in sorted(tables):
        rows = tables[table]
        for key in sorted(rows, key=order_of):
            yield encode([table, key, rows[key]]) + "\n"


def rows_hash(tables: Mapping[str, Mapping[Key, Row]]) -> str:
    """Hex sha256 of the lines."""
    digest = hashlib.sha256()
    for line in lines(tables):
        digest.update(line.encode("ascii"))
    return digest.hexdigest()
