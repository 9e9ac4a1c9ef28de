"""Import at scale: parse, store and derive, beside an upsert of the same bytes, one row a delivery or a step's message."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
from django.db import connection, transaction

from runs.models import Run
from trajectories.bundle import import_bundle
from trajectories.bundle.layout import Bundle
from trajectories.models import ImportJob, Stream

BATCH = 1_000
STEPS = ("run", "acp")  # the roster comes along, so that what workers tell has somebody to belong to
Row = tuple[str, str, int, bytes]


def importing(path: Path) -> dict[str, Any]:
    """`coordination` and `steps`: us per event of ours and per row of the ceiling; `ratio` = ceiling / ours for equal bytes."""
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        parts = {"coordination": lambda name: name != "acp", "steps": lambda name: name in STEPS}
        return {part: _measured(_part(path, Path(folder) / part, keep), part) for part, keep in parts.items()}


def whole(path: Path) -> dict[str, Any]:
    """The import of a bundle as it is: seconds by the clock and of the processor, events and changes."""
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        return _import(_part(path, Path(folder) / "whole", lambda name: True))


def _measured(bundle: Path, part: str) -> dict[str, Any]:
    ours = _import(bundle)
    rows, wall, cpu = upsert(_rows(bundle, None if part == "coordination" else "acp"))
    # A database in this process is measured by processor time, which a busy machine does not stretch; another one by the clock.
    clock = "wall_s" if connection.vendor == "postgresql" else "cpu_s"
    ceiling = wall if clock == "wall_s" else cpu
    told = {"events": ours["events"], "clock": clock, "us_per_event": round(ours[clock] / ours["events"] * 1e6, 1)}
    told |= {name: ours[name] for name in ("store_s", "derive_s", "index_s", "wall_s")}
    told |= {"ceiling_rows": rows, "ceiling_us_per_row": round(ceiling / rows * 1e6, 1)}
    return {**told, "ratio": round(ceiling / ours[clock], 3), "goal": 0.4 if part == "coordination" else 0.5}


def _import(bundle: Path) -> dict[str, Any]:
    marks: dict[str, tuple[float, float]] = {}

    def told(job: ImportJob) -> None:
        now = (time.perf_counter(), time.process_time())
        marks.setdefault(job.phase, now)
        if job.phase == "deriving":
            marks["derived"] = now  # the last word of it; what follows is the search index, which nobody waits for

    began, start = time.perf_counter(), time.process_time()
    slug = import_bundle(bundle, told=told).run
    end = (time.perf_counter(), time.process_time())
    wall, cpu = (then - first for then, first in zip(marks.get("derived", end), (began, start), strict=True))
    run = Run.objects.get(slug=slug)
    place = Stream.of(run.pk)
    ImportJob.objects.filter(run=run).delete()
    run.delete()
    stored = marks["deriving"][1] - start if "deriving" in marks else cpu
    told_s = {
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "store_s": round(stored, 2),
        "derive_s": round(cpu - stored, 2),
        "index_s": round(end[1] - start - cpu, 2),
    }
    return {**told_s, "events": place.n, "changes": place.c, "cpu_us_per_event": round(cpu / place.n * 1e6, 1)}


def upsert(found: Iterator[Row]) -> tuple[int, float, float]:
    """(rows, seconds, processor seconds) of `INSERT .. ON CONFLICT DO NOTHING` in batches, the rows ready made."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_upsert")
        kind = "bytea" if connection.vendor == "postgresql" else "blob"
        columns = f"source varchar(12), id varchar(160), seq bigint, body {kind}"
        cursor.execute(f"CREATE TABLE bench_upsert ({columns}, PRIMARY KEY (source, id))")
    rows, wall, cpu = 0, 0.0, 0.0
    try:
        while batch := list(islice(found, BATCH)):
            rows += len(batch)
            began, start = time.perf_counter(), time.process_time()
            _write(batch)
            wall, cpu = wall + time.perf_counter() - began, cpu + time.process_time() - start
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE bench_upsert")
    return rows, wall, cpu


def _write(batch: list[Row]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            connection.connection.executemany("INSERT OR IGNORE INTO bench_upsert VALUES (?, ?, ?, ?)", batch)
            return
        cursor.execute("CREATE TEMP TABLE bench_in (LIKE bench_upsert) ON COMMIT DROP")
        with cursor.copy("COPY bench_in FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(("varchar", "varchar", "int8", "bytea"))
            for row in batch:
                copy.write_row(row)
        cursor.execute("INSERT INTO bench_upsert SELECT * FROM bench_in ON CONFLICT DO NOTHING")


def _rows(bundle: Path, only: str | None) -> Iterator[Row]:
    for file in sorted((bundle / "deliveries").glob("*.jsonl")):
        if only not in (None, file.stem):
            continue
        with file.open("rb") as lines:
            for line in lines:
                told = orjson.loads(line)
                if file.stem != "acp":
                    yield (file.stem, told["id"], told["seq"], line)
                    continue
                head = told["id"].rpartition("-")[0]
                for item in told["body"]["items"]:
                    yield (file.stem, f"{head}-{item['n']}", item["n"], orjson.dumps(item))


def _part(path: Path, to: Path, keep: Any) -> Path:
    """The bundle as a folder with some of its sources, and a name of its own."""
    bundle = Bundle(path)
    try:
        (to / "deliveries").mkdir(parents=True)
        for source in filter(keep, bundle.sources):
            with (
                bundle.open(f"deliveries/{source}.jsonl") as lines,
                (to / f"deliveries/{source}.jsonl").open("wb") as out,
            ):
                shutil.copyfileobj(lines, out, 1 << 20)
        provenance = {**bundle.manifest.get("provenance", {}), "measured": to.name, "at": time.time_ns()}
        run = {**bundle.manifest["run"], "slug": f"bench-{to.name}"}
        (to / "manifest.json").write_text(json.dumps({**bundle.manifest, "provenance": provenance, "run": run}))
    finally:
        bundle.close()
    return to
