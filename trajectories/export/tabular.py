"""Rows as CSV, JSON lines or Parquet, in pieces of bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import orjson

from trajectories.export.rows import Sheet

BATCH = 2_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class NoParquet(RuntimeError):
    """The optional extra is not installed."""


def as_csv(sheet: Sheet) -> Iterator[bytes]:
    """RFC 4180 with a header and a byte order mark, as spreadsheets want it; times ISO 8601, lists and objects JSON, null empty.

    A text that a spreadsheet would run as a formula is preceded by an apostrophe.
    """
    place = io.StringIO(newline="")
    writer = csv.writer(place)
    writer.writerow(sheet.columns)
    yield b"\xef\xbb\xbf" + _drain(place)
    while batch := list(islice(sheet.rows, BATCH)):
        writer.writerows([_cell(value) for value in row] for row in batch)
        yield _drain(place)


def as_jsonl(sheet: Sheet) -> Iterator[bytes]:
    """One object a line, every column in it."""
    names = list(sheet.columns)
    while batch := list(islice(sheet.rows, BATCH)):
        yield b"".join(orjson.dumps(dict(zip(names, row, strict=True))) + b"\n" for row in batch)


def as_parquet(sheet: Sheet) -> Iterator[bytes]:
    """Parquet with zstd, a row group for each few thousand rows; mixed columns are JSON text. Raises NoParquet."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet("Parquet needs the extra `parquet`: pip install agensh-web[parquet]") from None
    return _parquet(pa, pq, sheet)


def _parquet(pa: Any, pq: Any, sheet: Sheet) -> Iterator[bytes]:
    types = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
    schema = pa.schema([(name, types.get(kind or list, pa.string())) for name, kind in sheet.columns.items()])
    place = _Sink()
    with pq.ParquetWriter(place, schema, compression="zstd") as writer:
        while batch := list(islice(sheet.rows, BATCH)):
            columns = zip(*batch, strict=True)
            made = [
                pa.array([value if kind in types else _json(value) for value in column], type=schema.field(k).type)
                for k, (kind, column) in enumerate(zip(sheet.columns.values(), columns, strict=True))
            ]
            writer.write_table(pa.Table.from_arrays(made, schema=schema))
            yield place.taken()  # Parquet is written from front to back: its foot holds the places of what has gone
    yield place.taken()


TABULAR: dict[str, tuple[Callable[[Sheet], Iterator[bytes]], str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "jsonl": (as_jsonl, "application/x-ndjson"),
    "parquet": (as_parquet, "application/vnd.apache.parquet"),
}


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, int | float) else _json(value)


def _json(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def _drain(place: io.StringIO) -> bytes:
    text = place.getvalue()
    place.seek(0)
    place.truncate()
    return text.encode("utf-8", "replace")


class _Sink(io.RawIOBase):
    """Where Parquet is written: it keeps what came since it was last emptied, and counts all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._held.append(piece)
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._size

    def taken(self) -> bytes:
        """What came since the last call."""
        found = b"".join(self._held)
        self._held.clear()
        return found
