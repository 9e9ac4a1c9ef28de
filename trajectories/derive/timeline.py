"""The timeline's segments: columns gathered, cut at 65,536 rows and stored ready to send."""

from __future__ import annotations

import hashlib
import time
from array import array
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from trajectories.derive.agtl import NAMES, Row, gzipped, pieces
from trajectories.derive.marks import FAILED, Marks
from trajectories.events import Event
from trajectories.models import Segment
from trajectories.models.glances import Whole
from trajectories.reducers import Change, Fold

ROWS = 65_536
PACKERS = 2
OPEN_EVERY_S = 2.0  # the open segment is written again at most this often
_TYPES = "qqHBqB"  # of agtl.NAMES: 28 bytes a row, where a tuple takes 300
Columns = dict[str, Any]


class Timeline:
    """The timeline of one generation. Live: `follow` and rows in order of arrival. Settled: `take` all, `finish`, sorted."""

    def __init__(self, run_id: int, generation: int) -> None:
        self.run_id, self.generation = run_id, generation
        self.marks = Marks()
        self.columns = [array(each) for each in _TYPES]
        self.k = 0
        self.written = 0
        self.wrote_at = 0.0

    def take(self, pairs: Iterable[tuple[int, Event]]) -> None:
        """Events with their numbers."""
        self._add(self.marks.of_events(pairs))

    def take_steps(self, whole: Whole) -> None:
        """Settling: the whole steps of a pack, whatever of them is still to come. Not if it `meets` a step under way."""
        count = len(whole.steps)
        failed = bytearray(count)
        for place, _, _ in whole.failed:
            failed[place] = FAILED
        spans = [end - at for at, end in zip(whole.began, whole.ended, strict=True)]
        for column, values in zip(
            self.columns,
            (whole.began, spans, (whole.worker,) * count, bytes(count), whole.numbers, failed),
            strict=True,
        ):
            column.extend(values)
        self.marks.ended_at = max(self.marks.ended_at, whole.ended[-1])

    def meets(self, whole: Whole) -> bool:
        """One of these steps is under way: its end, or its start, is told by itself."""
        return not self.marks.steps.keys().isdisjoint(whole.steps)

    @property
    def newest_at(self) -> int:
        """The time of the newest event taken."""
        return max(self.marks.newest_at, self.marks.ended_at)

    def follow(self, pairs: Iterable[tuple[int, Event]], changes: Iterable[Change], fold: Fold) -> None:
        """Live: new events and what they changed; writes when it is time."""
        self.take(pairs)
        for change in changes:
            if change.table == "claims" and change.op == "put" and change.fields.get("closed_at"):
                self._add(self.marks.of_claim(change.key, fold.tables["claims"].get(change.key, {})))
        t0 = fold.offset_at
        if t0 is None or len(self) == self.written or time.monotonic() - self.wrote_at < OPEN_EVERY_S:
            return
        while len(self) >= ROWS:
            self._write(self._gathered(ROWS, t0))
            self.columns = [column[ROWS:] for column in self.columns]
            self.k += 1
        if len(self):
            self._write(self._gathered(ROWS, t0))
        self.written, self.wrote_at = len(self), time.monotonic()

    def finish(self, fold: Fold) -> Columns:
        """Settled: add what only the end shows, sort and write everything; the sorted columns, times since the start."""
        end = self.newest_at
        for key, row in fold.tables["claims"].items():
            self._add(self.marks.of_claim(key, row, end))
        for row in fold.tables["recoveries"].values():
            self._add(self.marks.of_recovery(row))
        self._add(self.marks.unfinished(end))
        first = min(self.columns[0], default=0)
        columns = self._gathered(len(self), fold.offset_at if fold.offset_at is not None else first)
        by = ("n", "kind", "worker", "duration", "time")  # the last one counts first
        order = np.lexsort([columns[name] for name in by])
        columns = {name: column[order] for name, column in columns.items()}
        cuts = [{name: c[start : start + ROWS] for name, c in columns.items()} for start in range(0, len(order), ROWS)]
        with ThreadPoolExecutor(
            PACKERS
        ) as pool:  # zlib lets go of the interpreter: whoever stored has a processor free by now
            for facts in pool.map(_facts, cuts):
                self._save(facts)
                self.k += 1
        return columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def _add(self, rows: list[Row]) -> None:
        for column, values in zip(self.columns, zip(*rows, strict=True), strict=False):
            column.extend(values)

    def _gathered(self, count: int, t0: int) -> Columns:
        found = {name: np.array(column[:count]) for name, column in zip(NAMES, self.columns, strict=True)}
        found["time"] -= t0
        return found

    def _write(self, columns: Columns) -> None:
        self._save(_facts(columns))

    def _save(self, facts: dict[str, Any]) -> None:
        Segment.objects.update_or_create(run_id=self.run_id, generation=self.generation, k=self.k, defaults=facts)


def _facts(columns: Columns) -> dict[str, Any]:
    """A segment's row, but for its place."""
    parts = pieces(columns)
    data = b"".join(parts)
    start, end = columns["time"], columns["time"] + columns["duration"]
    facts: dict[str, Any] = {"rows": len(start), "bytes": len(data), "etag": hashlib.sha256(data).hexdigest()}
    return {**facts, "t_min": int(start.min()), "t_max": int(end.max()), "body": gzipped(parts)}
