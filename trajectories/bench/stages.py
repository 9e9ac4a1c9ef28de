"""Where an import's processor time goes, stage by stage, in one process: each stage by what passing over the bundle with it costs more than without."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from runs.models import Run
from trajectories.bench.scratch import scratch_run
from trajectories.bundle.layout import Bundle
from trajectories.bundle.lines import lines
from trajectories.derive import settle
from trajectories.derive.timeline import Timeline
from trajectories.ingest.garbage import seldom_collected
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.prepared import parse, prepare
from trajectories.ingest.store import store_prepared
from trajectories.models import Stream
from trajectories.models.weaving import settled
from trajectories.reducers import Fold

BATCH = 500  # deliveries a transaction
#: What an event costs in all; `of_which_without_topics` is a part of `reduce`.
SUMMED = ("read", "parse", "pack", "store", "decode", "reduce", "timeline", "changes_and_settle")


def stages(path: Path) -> dict[str, Any]:
    """us of processor time an event: `read` to `store` make rows of the bundle, `decode` to `settle` make meaning of the rows."""
    bundle = Bundle(path)
    try:
        with scratch_run() as run, seldom_collected():
            read = _spent(lambda: _all(_lines(bundle)))
            parsed = _spent(lambda: _all(parse(source, each) for source, each in _lines(bundle)))
            made = _spent(lambda: _all(prepare(source, each) for source, each in _lines(bundle)))
            stored = _spent(lambda: _store(run, bundle))
            n = Stream.of(run.pk).n
            decoded = _spent(lambda: _all(settled(run.pk, n)))
            folded = _spent(lambda: _fold(run.pk, n))
            bare = _spent(lambda: _fold(run.pk, n, bare=True))
            drawn = _spent(lambda: _draw(run.pk, n))
            final = _spent(lambda: settle(run.pk))
    finally:
        bundle.close()
    told = {"read": read, "parse": parsed - read, "pack": made - parsed, "store": stored - made, "decode": decoded}
    told |= {"reduce": folded - decoded, "of_which_without_topics": bare - decoded, "timeline": drawn - decoded}
    told["changes_and_settle"] = final - folded - (drawn - decoded)
    return {"events": n, "us_per_event": {name: round(spent / n * 1e6, 1) for name, spent in told.items()}}


def _lines(bundle: Bundle) -> Iterator[tuple[str, Incoming]]:
    for source in bundle.sources:
        with bundle.open(f"deliveries/{source}.jsonl") as file:
            for _, each in lines(source, file):
                if isinstance(each, Incoming):
                    yield source, each


def _store(run: Run, bundle: Bundle) -> None:
    for source, found in groupby(_lines(bundle), key=itemgetter(0)):
        made = (prepare(source, each) for _, each in found)
        while batch := list(islice(made, BATCH)):
            store_prepared(run.pk, source, batch)


def _fold(run_id: int, n: int, bare: bool = False) -> None:
    """`bare` = every event is taken, but no topic hears it."""
    fold = Fold()
    if bare:
        fold.team.hearers = lambda kind: ()  # type: ignore[method-assign]
    for glances, events, last in settled(run_id, n):
        for each in glances:
            if not fold.take_steps(each.whole):
                fold.take_tallies(event for _, event in each.events())
        fold.take_tallies(event for _, event in events)
        if last is not None:
            fold.take(last[1])
    fold.catch_up()


def _draw(run_id: int, n: int) -> None:
    timeline = Timeline(run_id, 0)
    for glances, events, last in settled(run_id, n):
        for each in glances:
            timeline.take_steps(each.whole)
        timeline.take(events)
        if last is not None:
            timeline.take((last,))


def _all(found: Iterator[Any]) -> None:
    for _ in found:
        pass


def _spent(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
