"""The timeline of a settled run: its bytes beside the entropy of its columns, and serving it beside reading as many rows."""

from __future__ import annotations

import gzip
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from runs import people
from trajectories.derive.agtl import decode_columns, gzipped, pieces
from trajectories.models import Segment, Stream

TIMES = 5
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


def serving(run_id: int, slug: str) -> dict[str, Any]:
    """Seconds to answer the manifest and every segment, once in full and once to who has them, beside a binary cursor over as many rows.

    Both ratios are to the cursor: segments are stored as they are sent, so a cold read decodes nothing either.
    """
    client = Client()
    person = people.add(f"bench-{time.time_ns()}", "viewer", None)
    client.force_login(person)
    try:
        began = time.perf_counter()
        tags = _fetch(client, slug, {})
        first = time.perf_counter() - began
        cold = min(_timed(lambda: _fetch(client, slug, {})) for _ in range(TIMES))
        warm = min(_timed(lambda: _fetch(client, slug, tags)) for _ in range(TIMES))
    finally:
        User.objects.filter(pk=person.pk).delete()
    rows = sum(Segment.objects.filter(run_id=run_id).values_list("rows", flat=True))
    ceiling = _cursor(rows)
    told = {"segments": len(tags), "rows": rows, "first_ms": _ms(first), "cold_ms": _ms(cold), "warm_ms": _ms(warm)}
    told |= {"cursor_ms": _ms(ceiling), "ratio_cold": round(cold / ceiling, 3), "goal_cold": 1.3}
    return {**told, "ratio_warm": round(warm / ceiling, 3), "goal_warm": 0.05}


def _fetch(client: Client, slug: str, tags: Mapping[int, str]) -> dict[int, str]:
    found = {}
    manifest = client.get(f"/api/v1/runs/{slug}/timeline").json()
    for segment in manifest["segments"]:
        k = segment["k"]
        headers = {"If-None-Match": tags[k]} if k in tags else {}
        answer = client.get(f"/api/v1/runs/{slug}/timeline?segment={k}", headers=headers)
        assert answer.status_code == (304 if k in tags else 200), answer.status_code
        found[k] = answer["ETag"]
    return found


def _cursor(rows: int) -> float:
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


def _timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
