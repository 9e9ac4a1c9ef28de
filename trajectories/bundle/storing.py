"""A bundle's lines into the store, all sources together in order of receipt, with a note of how far each has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from trajectories.bundle.ahead import Told, told
from trajectories.bundle.layout import Bundle
from trajectories.bundle.lines import Line, Rejected
from trajectories.ingest.prepared import Prepared
from trajectories.ingest.store import Stored, store_prepared
from trajectories.models import ImportJob

LISTED = 100
BATCH, BATCH_BYTES = 1_000, 4 << 20  # deliveries held at once, whichever is reached first
KEEP_S = 0.5  # how often the job's row is written; what is read again after a crash is known again by its ids


class _Next(NamedTuple):
    source: str
    line: Line
    delivery: Prepared


class Storing:
    """Reads on after the lines that an earlier, interrupted import has stored. Arrival numbers tell the story as it was heard."""

    def __init__(
        self,
        run_id: int,
        bundle: Bundle,
        job: ImportJob,
        step: Callable[[], None],
        stored: Callable[[list[tuple[int, int]], dict[str, int]], None] = lambda told, read: None,
    ) -> None:
        self.run_id, self.bundle, self.job, self.step, self.told_stored = run_id, bundle, job, step, stored
        self.read: dict[str, int] = dict(job.lines)  # source -> its last line that is stored
        self.bytes: dict[str, int] = {}
        self.stored = Stored(**{name: job.counts.get(name, 0) for name in ("new", "duplicates", "events", "skipped")})
        self.rejected = int(job.counts.get("rejected", 0))
        self.rejections = list(job.rejections)
        self.waiting: list[
            Rejected
        ] = []  # bad lines met beyond what is stored: an import that goes on meets them again
        self.kept_at = 0.0
        job.tell(total=sum(bundle.size(f"deliveries/{source}.jsonl") for source in bundle.sources))

    def all_sources(self) -> None:
        """Store everything that can be read."""
        with told(self.bundle, self.read) as found:
            sound = self._sound(found)
            while batch := list(_batch(sound)):
                self._store(batch)
        for each in self.waiting:
            self.reject(each)
        self.waiting = []

    def reject(self, line: Rejected) -> None:
        """Count it; list the first hundred."""
        self.rejected += 1
        if len(self.rejections) < LISTED:
            self.rejections.append({"source": line.source, "line": line.line, "reason": line.reason})

    def keep(self) -> None:
        """Write down how far it is."""
        counts = {name: getattr(self.stored, name) for name in ("new", "duplicates", "events", "skipped")}
        counts["rejected"] = self.rejected
        self.job.tell(lines=self.read, counts=counts, rejections=self.rejections, done=sum(self.bytes.values()))
        self.kept_at = time.monotonic()

    def _store(self, batch: list[_Next]) -> None:
        for source in self.bundle.sources:
            mine = [each for each in batch if each.source == source]
            if not mine:
                continue
            self.stored.add(store_prepared(self.run_id, source, [each.delivery for each in mine]))
            self.read[source], self.bytes[source] = mine[-1].line.number, mine[-1].line.end
        self.told_stored([(_earliest(each.delivery), each.delivery.received_at) for each in batch], self.read)
        passed = [each for each in self.waiting if each.line <= self.read.get(each.source, 0)]
        self.waiting = [each for each in self.waiting if each.line > self.read.get(each.source, 0)]
        for bad in passed:
            self.reject(bad)
        if time.monotonic() - self.kept_at > KEEP_S:
            self.keep()
            self.step()

    def _sound(self, found: Iterator[Told]) -> Iterator[_Next]:
        for source, line, each in found:
            if isinstance(each, Rejected):
                self.waiting.append(each)
            else:
                yield _Next(source, line, each)


def _earliest(d: Prepared) -> int:
    """The time of the first event of a delivery, or of the delivery where it gives none."""
    return min(chain((row[3] for row in d.packs), (row[2] for row in d.rows)), default=d.at)


def _batch(merged: Iterator[_Next]) -> Iterator[_Next]:
    size = 0
    for count, each in enumerate(merged, 1):
        yield each
        size += each.delivery.size
        if count == BATCH or size > BATCH_BYTES:
            return
