"""Search: what putting a document up costs beside storing it, and what finding costs beside the database's own scan of the same texts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from trajectories import search
from trajectories.bench.scratch import enrolments, notes, scratch_run
from trajectories.ingest.store import store
from trajectories.models import EventRow, SearchPart

DOCUMENTS = 40_000
BATCH = 2_000
WORDS = {"rare": "observation 31234", "common": "reference prints", "absent": "no such words anywhere"}
TIMES = 5


def searching() -> dict[str, Any]:
    """CPU microseconds a document stored and put up; milliseconds of a search in the index, in the tail, and of LIKE."""
    with scratch_run() as run:
        store(run.pk, "run", enrolments(64), fixed=True)
        began = time.process_time()
        for first in range(1, DOCUMENTS + 1, BATCH):
            store(run.pk, "board", notes(BATCH, first), fixed=True)
        stored = time.process_time() - began
        began = time.process_time()
        count = search.catch_up(run.pk, seal=True)
        put_up = time.process_time() - began
        bytes_ = sum(
            map(
                sum, (map(len, row) for row in SearchPart.objects.filter(run=run).values_list("grams", "body", "shown"))
            )
        )
        texts = EventRow.objects.filter(run=run, kind="note.posted")
        found: dict[str, Any] = {}
        for name, words in WORDS.items():
            found[f"{name}_ms"] = _ms(
                lambda words=words: search.search([run], search.terms(words), search.Filters(), 50)
            )  # type: ignore[misc]
            found[f"{name}_like_ms"] = _ms(lambda words=words: texts.filter(fields__icontains=words).count())  # type: ignore[misc]
        head = {"documents": count, "stored_us": stored / count * 1e6, "put_up_us": put_up / count * 1e6}
        return {**head, "share_of_storing": put_up / stored, "bytes_a_document": bytes_ / count, **found}


def _ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)
