"""Import at scale: parse, store and derive, beside an upsert of the same bytes, one row a delivery or a step's message.

The ceiling's table lies in the same database under the same durability and has the two keys that an event of ours has: its number in
the run, and (run, source, id). Rows come ready made, 1,000 to a transaction; nothing is read, checked or compressed. Rates are by the clock,
for an import may use more than one process; what all of them together take of the processor stands beside.
"""

from __future__ import annotations

import json
import resource
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
from trajectories.bench.stages import stages
from trajectories.bundle import import_bundle
from trajectories.bundle.layout import Bundle
from trajectories.models import ImportJob, Stream

BATCH = 1_000
STEPS = ("run", "acp")  # the roster comes along, so that what workers tell has somebody to belong to
Row = tuple[str, str, int, bytes]


def importing(path: Path) -> dict[str, Any]:
    """`coordination` and `steps`: us per event of ours and per row of the ceiling; `ratio` = ceiling / ours for equal bytes.

    Of coordination stage by stage too; of steps, nine events of ten, the growth of `scale` tells it.
    """
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        parts = {"coordination": lambda name: name != "acp", "steps": lambda name: name in STEPS}
        cut = {part: _part(path, Path(folder) / part, keep) for part, keep in parts.items()}
        told = {part: _measured(each, part) for part, each in cut.items()}
        told["coordination"]["stages"] = stages(cut["coordination"])["us_per_event"]
        return told


def _measured(bundle: Path, part: str) -> dict[str, Any]:
    ours = _import(bundle)
    rows, wall, cpu = upsert(_rows(bundle, None if part == "coordination" else "acp"))
    told = {"events": ours["events"], "us_per_event": round(ours["wall_s"] / ours["events"] * 1e6, 1)}
    told |= {name: ours[name] for name in ("cpu_us_per_event", "store_s", "derive_s", "index_s", "wall_s", "cpu_s")}
    told |= {"ceiling_rows": rows, "ceiling_us_per_row": round(wall / rows * 1e6, 1)}
    if connection.vendor != "postgresql":  # the server's processor time is not ours to see
        told["ratio_cpu"] = round(cpu / ours["cpu_s"], 3)
    return {**told, "ratio": round(wall / ours["wall_s"], 3), "goal": 0.4 if part == "coordination" else 0.5}


def _import(bundle: Path) -> dict[str, Any]:
    marks: dict[str, tuple[float, float, float]] = {}

    def told(job: ImportJob) -> None:
        marks.setdefault(job.phase, _now())
        if job.phase == "deriving":
            marks["derived"] = _now()  # the last word of it; what follows is the search index, which nobody waits for

    began = _now()
    slug = import_bundle(bundle, told=told).run
    end = _now()
    derived = marks.get("derived", end)
    stored = marks.get("deriving", derived)
    run = Run.objects.get(slug=slug)
    place = Stream.of(run.pk)
    ImportJob.objects.filter(run=run).delete()
    run.delete()
    # What other processes took shows when they have ended, and that is at the end; nothing of the index is theirs.
    wall, cpu = derived[0] - began[0], derived[1] - began[1] + end[2] - began[2]
    told_s = {
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "store_s": round(stored[0] - began[0], 2),
        "derive_s": round(derived[0] - stored[0], 2),
        "index_s": round(end[0] - derived[0], 2),
    }
    return {**told_s, "events": place.n, "changes": place.c, "cpu_us_per_event": round(cpu / place.n * 1e6, 1)}


def _now() -> tuple[float, float, float]:
    """Seconds by the clock, and of the processor by this process and by those it has started and seen end."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time(), others.ru_utime + others.ru_stime


def upsert(found: Iterator[Row]) -> tuple[int, float, float]:
    """(rows, seconds, processor seconds) of `INSERT .. ON CONFLICT DO NOTHING` in batches, the rows ready made."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_upsert")
        kind = "bytea" if connection.vendor == "postgresql" else "blob"
        columns = f"run bigint, n bigint, source varchar(12), id varchar(160), seq bigint, body {kind}"
        keys = "PRIMARY KEY (run, n), UNIQUE (run, source, id)"
        cursor.execute(f"CREATE TABLE bench_upsert ({columns}, {keys})")
    rows, wall, cpu = 0, 0.0, 0.0
    try:
        while batch := list(islice(found, BATCH)):
            numbered = [(1, n, *row) for n, row in enumerate(batch, rows + 1)]
            rows += len(batch)
            began, start = time.perf_counter(), time.process_time()
            _write(numbered)
            wall, cpu = wall + time.perf_counter() - began, cpu + time.process_time() - start
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE bench_upsert")
    return rows, wall, cpu


def _write(batch: list[tuple[Any, ...]]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            connection.connection.executemany("INSERT OR IGNORE INTO bench_upsert VALUES (?, ?, ?, ?, ?, ?)", batch)
            return
        cursor.execute("CREATE TEMP TABLE bench_in (LIKE bench_upsert) ON COMMIT DROP")
        with cursor.copy("COPY bench_in FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(("int8", "int8", "varchar", "varchar", "int8", "bytea"))
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
