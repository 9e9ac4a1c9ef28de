"""The first-run story as deliveries, for tests of the store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from runs.models import Run
from trajectories.bundle.lines import Rejected, lines
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.store import store
from trajectories.sources import SOURCES

FOLDER = Path(__file__).parents[1] / "fixtures" / "bundles" / "first_run"


def told() -> list[tuple[str, Incoming]]:
    """(source, delivery) in order of receipt, fresh objects each time."""
    found = []
    for source in SOURCES:
        with (FOLDER / "deliveries" / f"{source}.jsonl").open("rb") as file:
            for _, line in lines(source, file):
                assert not isinstance(line, Rejected)
                found.append((source, line))
    return sorted(found, key=lambda pair: pair[1].received_at)


def new_run(slug: str = "told", **more: Any) -> Run:
    return Run.objects.create(slug=slug, name=slug, status="running", **more)


def hear(run: Run, deliveries: list[tuple[str, Incoming]]) -> None:
    """Store them, each source's together, in the order given."""
    by_source: dict[str, list[Incoming]] = {}
    for source, each in deliveries:
        by_source.setdefault(source, []).append(each)
    for source, mine in by_source.items():
        store(run.pk, source, mine, fixed=True)


def delivery(
    id: str, body: Any, *, seq: int = 1, at: int = 1_800_000_000_000, raw: bytes | None = None, **headers: str
) -> Incoming:
    text = json.dumps(body).encode() if raw is None else raw
    return Incoming(id, seq, at, at + 100, text, headers)


@cache
def first_run_lines(source: str) -> tuple[str, ...]:
    return tuple((FOLDER / "deliveries" / f"{source}.jsonl").read_text().splitlines())


def run_event(n: int, kind: str, at: int, **fields: Any) -> Incoming:
    return delivery(str(n), {"n": n, "at": "", "kind": kind, "fields": fields}, seq=n, at=at)


def ticks(first: int, count: int, at: int, every_ms: int = 500) -> Iterator[Incoming]:
    for k in range(count):
        yield run_event(first + k, "run.ticked", at + k * every_ms)
