"""A run made for measuring and removed after it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from runs.models import Run
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.jsontext import write

AT = 1_800_000_000_000


@contextmanager
def scratch_run() -> Iterator[Run]:
    """A run that is gone afterwards, with everything of it."""
    slug = f"bench-{uuid.uuid4().hex[:12]}"
    run = Run.objects.create(slug=slug, name="Measuring", status="importing", origin="simulated")
    try:
        yield run
    finally:
        run.delete()


def notes(count: int, first: int = 1) -> list[Incoming]:
    """Board notes of about the size that teams write, one every 20 ms of run time."""
    found = []
    for k in range(first, first + count):
        body = {"seq": k, "at": "2027-01-15T08:00:00.000Z", "op": "note", "worker": f"w{k % 64 + 1:04d}", "note": k}
        body |= {
            "type": "FACT",
            "text": f"observation {k}: the reference prints {k * 7919 % 10_007} here",
            "detail": None,
        }
        body |= {"delegation_id": f"part-{k % 200}"}
        found.append(Incoming(str(k), k, AT + k * 20, AT + k * 20 + 90, write(body)))
    return found


def enrolments(workers: int) -> list[Incoming]:
    """The roster and the start of the clock."""
    told = [("run.started", {"duration_s": 3_600, "workers": workers})]
    told += [("worker.enrolled", {"worker": w, "name": f"w{w:04d}"}) for w in range(1, workers + 1)]
    bodies = [{"n": n, "at": "", "kind": kind, "fields": fields} for n, (kind, fields) in enumerate(told, 1)]
    return [Incoming(str(body["n"]), int(str(body["n"])), AT, AT, write(body)) for body in bodies]


def timed(work: Iterator[object]) -> float:
    """Seconds that it takes to go through `work`."""
    began = time.perf_counter()
    for _ in work:
        pass
    return time.perf_counter() - began
