"""The bytes of a keyframe: a head, then one compressed piece a table, then what only a fold needs. Pure.

`AGKF`, u32 length of the head, the head as JSON `{"rules_version","base","tables":[[name, bytes], ..],"inner": bytes}`, the pieces. A table's piece
is zstd JSON `[[key, row], ..]`; a long one's is `AGBL`, u32 count of blocks, u32 length of the keys and of each block, then these (`models/packing.py`), so
that a row is read without the others. With a `base` it holds only what differs from the keyframe at change `base`: a row that is gone is null.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from trajectories.models.packing import Blocks, in_blocks, pack, unpack

MAGIC, IN_BLOCKS = b"AGKF", b"AGBL"
_LENGTH = struct.Struct("<I")
FIRST = len(MAGIC) + _LENGTH.size
Rows = Mapping[Any, Any]
Tables = dict[str, dict[Any, dict[str, Any]]]


def write(rules_version: int, tables: Mapping[str, Rows], inner: Any = None, base: int | None = None) -> bytes:
    """A keyframe of these tables; `inner` = what `Fold.inner()` gives, None if nobody will fold on from here."""
    pieces = {name: _piece(rows) for name, rows in tables.items()}
    within = b"" if inner is None else pack(orjson.dumps(inner, option=orjson.OPT_NON_STR_KEYS))
    head = {"rules_version": rules_version, "base": base, "inner": len(within)}
    text = orjson.dumps({**head, "tables": [[name, len(piece)] for name, piece in pieces.items()]})
    return b"".join([MAGIC, _LENGTH.pack(len(text)), text, *pieces.values(), within])


def _piece(rows: Rows) -> bytes:
    found = in_blocks(rows)
    if found is None:
        return pack(orjson.dumps(list(rows.items())))
    parts = [pack(orjson.dumps(found.keys)), *found.packed]
    return b"".join([IN_BLOCKS, struct.pack(f"<{1 + len(parts)}I", len(found.packed), *map(len, parts)), *parts])


def head_length(first: bytes) -> int:
    """How many bytes magic, length and head take, from the first `FIRST` of them. Raises ValueError."""
    if first[: len(MAGIC)] != MAGIC:
        raise ValueError("not a keyframe")
    return FIRST + int(_LENGTH.unpack_from(first, len(MAGIC))[0])


class Snapshot:
    """A keyframe as read: from its first byte up to as far as is needed, the tables or all of it."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.start = head_length(body)
        head = orjson.loads(body[FIRST : self.start])
        self.rules_version, self.base = head["rules_version"], head["base"]
        self.lengths: list[tuple[str, int]] = [(name, length) for name, length in head["tables"]]
        self.shown = self.start + sum(length for _, length in self.lengths)
        self.foldable = head["inner"] > 0

    def tables(self) -> Iterator[tuple[str, list[Any]]]:
        """(name, [[key, row], ..]), one table after the other."""
        for name, piece in self.pieces():
            yield name, pairs(piece)

    def pieces(self) -> Iterator[tuple[str, bytes]]:
        """(name, the bytes of its table), to be read by `pairs`."""
        place = self.start
        for name, length in self.lengths:
            yield name, self.body[place : place + length]
            place += length

    def inner(self) -> Any:
        """What only a fold needs."""
        return orjson.loads(unpack(self.body[self.shown :]))


def blocks(piece: bytes) -> Blocks | None:
    """The table of a piece that lies in blocks; None for another."""
    if piece[: len(IN_BLOCKS)] != IN_BLOCKS:
        return None
    (count,) = _LENGTH.unpack_from(piece, len(IN_BLOCKS))
    parts, place = [], FIRST + (1 + count) * _LENGTH.size
    for length in struct.unpack_from(f"<{1 + count}I", piece, FIRST):
        parts.append(piece[place : place + length])
        place += length
    return Blocks(orjson.loads(unpack(parts[0])), parts[1:])


def pairs(piece: bytes) -> list[Any]:
    """`[[key, row], ..]` of the piece of a table."""
    found = blocks(piece)
    told: list[Any] = orjson.loads(unpack(piece)) if found is None else list(zip(found.keys, found.rows(), strict=True))
    return told


def lay(rows: dict[Any, Any], pairs: Iterable[Any]) -> dict[Any, Any]:
    """Put the pairs of a piece onto rows, in place."""
    for key, row in pairs:
        if row is None:
            rows.pop(key, None)
        else:
            rows[key] = row
    return rows
