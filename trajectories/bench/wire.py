"""The timeline of a settled run: its bytes beside the entropy of its columns; and the ceiling of serving it, reading as many rows."""

from __future__ import annotations

import gzip
import time
from typing import Any

import numpy as np
from django.db import connection, transaction

from trajectories.derive.agtl import decode_columns, gzipped, pieces
from trajectories.models import Segment, Stream

CODED = ("time", "duration", "worker", "kind")


def payload(run_id: int) -> dict[str, Any]:
    """`ratio` = bytes of time, worker, kind and duration / their zeroth-order entropy, column by column; `ratio_whole` with numbers and flags too."""
    segments = Segment.objects.filter(run_id=run_id, generation=Stream.of(run_id).generation).order_by("k")
    parts = [(decode_columns(gzip.decompress(bytes(each.body))), len(each.body)) for each in segments]
    whole = sum(size for _, size in parts)
    coded = sum(len(gzipped(pieces({**part, "n": part["n"] * 0, "flags": part["flags"] * 0}))) for part, _ in parts)
    columns = {name: np.concatenate([part[name] for part, _ in parts]) for name in CODED}
    rows = len(columns["time"])
    columns["time"] = np.diff(columns["time"], prepend=0)
    own = {name: _entropy(columns[name]) / 8 for name in CODED}
    entropy = sum(own.values()) * rows
    told = {
        "rows": rows,
        "bytes": whole,
        "bytes_per_row": round(whole / rows, 2),
        "coded_per_row": round(coded / rows, 2),
    }
    told |= {
        "entropy_per_row": round(entropy / rows, 2),
        "columns": {name: round(each, 2) for name, each in own.items()},
    }
    return {**told, "ratio": round(coded / entropy, 3), "goal": 1.1, "ratio_whole": round(whole / entropy, 3)}


def cursor_s(rows: int) -> float:
    """Seconds to read so many rows of six numbers in order into numpy, by the database's own cursor."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_rows")
        cursor.execute("CREATE TABLE bench_rows (k bigint PRIMARY KEY, a bigint, b bigint, c int, d int, e bigint)")
        made = [(k, k * 14, k % 900, k % 1024, k % 10, k) for k in range(rows)]
        if connection.vendor == "postgresql":
            with cursor.copy("COPY bench_rows FROM STDIN") as copy:
                for row in made:
                    copy.write_row(row)
        else:
            cursor.executemany("INSERT INTO bench_rows VALUES (%s, %s, %s, %s, %s, %s)", made)
    try:
        began = time.perf_counter()
        with transaction.atomic():
            raw = connection.connection
            if connection.vendor == "postgresql":
                with raw.cursor("bench", binary=True) as cursor:
                    cursor.itersize = 20_000
                    cursor.execute("SELECT k, a, b, c, d, e FROM bench_rows ORDER BY k")
                    found = np.fromiter((value for row in cursor for value in row), dtype=np.int64, count=rows * 6)
            else:
                read = raw.execute("SELECT k, a, b, c, d, e FROM bench_rows ORDER BY k")
                found = np.fromiter((value for row in read for value in row), dtype=np.int64, count=rows * 6)
        assert len(found) == rows * 6
        return time.perf_counter() - began
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE bench_rows")


def _entropy(values: Any) -> float:
    """Bits a value."""
    counts = np.unique(values, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
