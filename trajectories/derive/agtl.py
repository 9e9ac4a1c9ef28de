"""The timeline's wire format AGTL, version 2: columns of small integers, little-endian, each starting at a multiple of 8.

magic `AGTL`, u16 version, u16 columns, u32 rows; then per column u8 name id, u8 encoding, u32 byte length; then the columns.
Encodings: 0 = u8 plain, 1 = varint, 2 = zigzag varint of differences (the first against 0), 3 = u16 as two byte planes; new in version 2:
4 = byte planes, as many as its length says, 5 = the same of zigzag differences, 6 = the same of zigzag differences to the row before
of the same worker. A plane is the lowest, the next, .. byte of every row: each compresses by its own statistics.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

MAGIC, VERSION = b"AGTL", 2
NAMES = ("time", "duration", "worker", "kind", "n", "flags")
PLAIN, VARINT, DIFFERENCES, PAIR, PLANES, STEPS, OWN_STEPS = range(7)
ENCODINGS = ((STEPS,), (PLANES,), (PAIR,), (PLAIN,), (STEPS, OWN_STEPS), (PLAIN,))
_OWN_TABLE = 4_096  # a piece longer than this has enough to say for a Huffman table of its own
Row = tuple[int, int, int, int, int, int]


def encode(rows: Sequence[Row]) -> bytes:
    """The segment's bytes. A row is (time, duration, worker, kind, n, flags)."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(NAMES))
    return encode_columns({name: table[:, k] for k, name in enumerate(NAMES)})


def encode_columns(table: Mapping[str, Any]) -> bytes:
    """The same from one array a name."""
    return b"".join(pieces(table))


def pieces(table: Mapping[str, Any]) -> list[bytes]:
    """The same in pieces of like statistics: the head, then planes and plain columns."""
    found = [_best(table, name, encodings) for name, encodings in zip(NAMES, ENCODINGS, strict=True)]
    columns = [planes for _, planes in found]
    head = MAGIC + struct.pack("<HHI", VERSION, len(columns), len(table["time"]))
    for k, (encoding, planes) in enumerate(found):
        head += struct.pack("<BBI", k, encoding, sum(map(len, planes)))
    out, place = [head], len(head)
    for planes in columns:
        gap = b"\0" * (-place % 8)
        out += [gap, *planes] if gap else planes
        place += len(gap) + sum(map(len, planes))
    return out


def gzipped(parts: Iterable[bytes]) -> bytes:
    """Gzip of the pieces, a Huffman table of its own for each; equal for equal pieces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9, zlib.Z_FILTERED)
    out = b"".join(
        packer.compress(part) + (packer.flush(zlib.Z_BLOCK) if len(part) > _OWN_TABLE else b"") for part in parts
    )
    return out + packer.flush()


def decode(data: bytes) -> list[Row]:
    """The rows of a segment: the tests' reader, and the format's second definition."""
    columns = decode_columns(data)
    return [tuple(row) for row in zip(*(columns[name].tolist() for name in NAMES), strict=True)]  # type: ignore[misc]


def decode_columns(data: bytes) -> dict[str, Any]:
    """The columns of a segment as arrays of int64. Raises ValueError for other bytes."""
    if data[:4] != MAGIC:
        raise ValueError("not a timeline segment")
    version, columns, rows = struct.unpack_from("<HHI", data, 4)
    if version not in (1, VERSION):
        raise ValueError(f"timeline version {version}")
    heads = [struct.unpack_from("<BBI", data, 12 + 6 * k) for k in range(columns)]
    place, found = 12 + 6 * columns, {}
    for name, encoding, length in heads:
        place += -place % 8
        found[NAMES[name]] = _values(data[place : place + length], encoding, rows, found.get("worker"))
        place += length
    return found


def _best(table: Mapping[str, Any], name: str, encodings: Sequence[int]) -> tuple[int, list[bytes]]:
    """The encoding that packs best, and the column in it. Live, numbers rise from row to row; settled, with each worker's own."""
    tried = [(encoding, _column(table, name, encoding)) for encoding in encodings]
    return (
        min(tried, key=lambda each: sum(len(zlib.compress(plane, 1)) for plane in each[1]))
        if len(tried) > 1
        else tried[0]
    )


def _column(table: Mapping[str, Any], name: str, encoding: int) -> list[bytes]:
    values = np.asarray(table[name])
    if encoding == PLAIN:
        return [values.astype(np.uint8).tobytes()]
    if encoding == PAIR:
        return _planes(values.astype(np.uint64), 2)
    values = values.astype(np.int64)
    if encoding == PLANES:
        return _planes(values.astype(np.uint64))
    steps = (
        _own_steps(values, np.asarray(table["worker"]))
        if encoding == OWN_STEPS
        else np.diff(values, prepend=np.int64(0))
    )
    return _planes(((steps << 1) ^ (steps >> 63)).astype(np.uint64))


def _planes(values: Any, least: int = 1) -> list[bytes]:
    most = int(values.max(initial=0))
    count = max(least, (most.bit_length() + 7) // 8)
    return [((values >> np.uint64(8 * k)) & np.uint64(0xFF)).astype(np.uint8).tobytes() for k in range(count)]


def _own_steps(values: Any, worker: Any) -> Any:
    """Differences to the row before of the same worker; a worker's first row against 0."""
    order = np.argsort(worker, kind="stable")
    own = np.diff(values[order], prepend=np.int64(0))
    first = np.flatnonzero(np.diff(worker[order].astype(np.int64), prepend=np.int64(-1)))
    own[first] = values[order][first]
    steps = np.empty_like(own)
    steps[order] = own
    return steps


def _own_sums(steps: Any, worker: Any) -> Any:
    order = np.argsort(worker, kind="stable")
    sums = np.cumsum(steps[order])
    first = np.flatnonzero(np.diff(worker[order], prepend=np.int64(-1)))
    before = np.concatenate([[0], sums[first[1:] - 1]])[: len(first)]
    sums -= np.repeat(before, np.diff(np.append(first, len(sums))))
    values = np.empty_like(sums)
    values[order] = sums
    return values


def _values(data: bytes, encoding: int, rows: int, worker: Any) -> Any:
    raw = np.frombuffer(data, dtype=np.uint8)
    if encoding == PLAIN:
        return raw.astype(np.int64)
    if encoding in (VARINT, DIFFERENCES):
        values = _varints(raw, rows)
        if encoding == VARINT:
            return values.astype(np.int64)
        return np.cumsum(_signed(values))
    values = np.zeros(rows, dtype=np.uint64)
    for k in range(len(raw) // rows if rows else 0):
        values |= raw[k * rows : (k + 1) * rows].astype(np.uint64) << np.uint64(8 * k)
    if encoding in (PAIR, PLANES):
        return values.astype(np.int64)
    return np.cumsum(_signed(values)) if encoding == STEPS else _own_sums(_signed(values), worker)


def _signed(zigzag: Any) -> Any:
    return (zigzag >> np.uint64(1)).astype(np.int64) ^ -(zigzag & np.uint64(1)).astype(np.int64)


def _varints(raw: Any, rows: int) -> Any:
    ends = np.flatnonzero(raw < 0x80)
    if len(ends) != rows:
        raise ValueError(f"{len(ends)} numbers in a column of {rows}")
    starts = np.concatenate([[0], ends[:-1] + 1])[:rows]
    values = np.zeros(rows, dtype=np.uint64)
    for k in range(int((ends - starts).max(initial=-1)) + 1):
        has = starts + k <= ends
        values[has] |= (raw[starts[has] + k] & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * k)
    return values
