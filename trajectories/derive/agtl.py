"""The timeline's wire format AGTL, version 1: columns of small integers, little-endian, each starting at a multiple of 8.

magic `AGTL`, u16 version, u16 columns, u32 rows; then per column u8 name id, u8 encoding, u32 byte length; then the columns.
Encodings: 0 = u8 plain, 1 = varint, 2 = zigzag varint of differences (the first against 0), 3 = u16 as two byte planes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MAGIC, VERSION = b"AGTL", 1
NAMES = ("time", "duration", "worker", "kind", "n", "flags")
PLAIN, VARINT, DIFFERENCES, PLANES = 0, 1, 2, 3
ENCODINGS = (DIFFERENCES, VARINT, PLANES, PLAIN, DIFFERENCES, PLAIN)
Row = tuple[int, int, int, int, int, int]


def encode(rows: Sequence[Row]) -> bytes:
    """The segment's bytes. A row is (time, duration, worker, kind, n, flags)."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(NAMES))
    return encode_columns({name: table[:, k] for k, name in enumerate(NAMES)})


def encode_columns(table: Mapping[str, Any]) -> bytes:
    """The same from one array a name."""
    columns = [_column(table[name], encoding) for name, encoding in zip(NAMES, ENCODINGS, strict=True)]
    head = MAGIC + struct.pack("<HHI", VERSION, len(columns), len(table["time"]))
    for k, (encoding, data) in enumerate(zip(ENCODINGS, columns, strict=True)):
        head += struct.pack("<BBI", k, encoding, len(data))
    out = bytearray(head)
    for data in columns:
        out += b"\0" * (-len(out) % 8)
        out += data
    return bytes(out)


def decode(data: bytes) -> list[Row]:
    """The rows of a segment: the tests' reader, and the format's second definition."""
    if data[:4] != MAGIC:
        raise ValueError("not a timeline segment")
    version, columns, rows = struct.unpack_from("<HHI", data, 4)
    if version != VERSION:
        raise ValueError(f"timeline version {version}")
    heads = [struct.unpack_from("<BBI", data, 12 + 6 * k) for k in range(columns)]
    place, found = 12 + 6 * columns, []
    for _, encoding, length in heads:
        place += -place % 8
        found.append(_values(data[place : place + length], encoding, rows))
        place += length
    return [tuple(row) for row in zip(*found, strict=True)]  # type: ignore[misc]


def _column(values: Any, encoding: int) -> bytes:
    if encoding == PLAIN:
        return bytes(values.astype(np.uint8).tobytes())
    if encoding == PLANES:
        small = values.astype(np.uint16)
        return bytes((small & 0xFF).astype(np.uint8).tobytes() + (small >> 8).astype(np.uint8).tobytes())
    if encoding == DIFFERENCES:
        steps = np.diff(values.astype(np.int64), prepend=np.int64(0))
        values = (steps << 1) ^ (steps >> 63)
    return _varints(values.astype(np.uint64))


def _varints(values: Any) -> bytes:
    """LEB128 of each value, all at once: a (rows x 10) grid of 7-bit groups, of which each row keeps those it needs."""
    shifts = np.arange(10, dtype=np.uint64) * np.uint64(7)
    groups = ((values[:, None] >> shifts) & np.uint64(0x7F)).astype(np.uint8)
    used = np.maximum((groups != 0).cumsum(axis=1).argmax(axis=1), 0)
    place = np.arange(10)
    groups |= np.where(place < used[:, None], 0x80, 0).astype(np.uint8)
    return bytes(groups[place <= used[:, None]].tobytes())


def _values(data: bytes, encoding: int, rows: int) -> list[int]:
    if encoding == PLAIN:
        return list(data)
    if encoding == PLANES:
        return [low | high << 8 for low, high in zip(data[:rows], data[rows:], strict=True)]
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    if encoding == VARINT:
        return values
    total, found = 0, []
    for zigzag in values:
        total += (zigzag >> 1) ^ -(zigzag & 1)
        found.append(total)
    return found
