"""The timeline's segments: rows gathered, cut at 65,536 and stored ready to send."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Iterable
from typing import Any

from trajectories.derive.agtl import Row, encode
from trajectories.derive.marks import Marks
from trajectories.events import Event
from trajectories.models import Segment
from trajectories.reducers import Change, Fold

ROWS = 65_536
OPEN_EVERY_S = 2.0  # the open segment is written again at most this often


class Timeline:
    """The timeline of one generation. Live: `follow` and rows in order of arrival. Settled: `take` all, `finish`, sorted."""

    def __init__(self, run_id: int, generation: int) -> None:
        self.run_id, self.generation = run_id, generation
        self.marks = Marks()
        self.rows: list[Row] = []
        self.k = 0
        self.written = 0
        self.wrote_at = 0.0

    def take(self, n: int, event: Event) -> None:
        """One event."""
        self.rows += self.marks.of_event(n, event)

    def follow(self, pairs: Iterable[tuple[int, Event]], changes: Iterable[Change], fold: Fold) -> None:
        """Live: new events and what they changed; writes when it is time."""
        for n, event in pairs:
            self.take(n, event)
        for change in changes:
            if change.table == "claims" and change.op == "put" and change.fields.get("closed_at"):
                self.rows += self.marks.of_claim(change.key, fold.tables["claims"].get(change.key, {}))
        t0 = fold.offset_at
        if t0 is None or len(self.rows) == self.written or time.monotonic() - self.wrote_at < OPEN_EVERY_S:
            return
        while len(self.rows) >= ROWS:
            self._write(self.rows[:ROWS], t0)
            self.rows, self.k = self.rows[ROWS:], self.k + 1
        if self.rows:
            self._write(self.rows, t0)
        self.written, self.wrote_at = len(self.rows), time.monotonic()

    def finish(self, fold: Fold) -> None:
        """Settled: add what only the end shows, sort and write everything."""
        end = self.marks.newest_at
        for key, row in fold.tables["claims"].items():
            self.rows += self.marks.of_claim(key, row, end)
        for row in fold.tables["recoveries"].values():
            self.rows += self.marks.of_recovery(row)
        self.rows += self.marks.unfinished(end)
        if not self.rows:
            return
        self.rows.sort()
        t0 = fold.offset_at if fold.offset_at is not None else self.rows[0][0]
        for start in range(0, len(self.rows), ROWS):
            self._write(self.rows[start : start + ROWS], t0)
            self.k += 1

    def _write(self, rows: list[Row], t0: int) -> None:
        shifted = [(row[0] - t0, *row[1:]) for row in rows]
        data = encode(shifted)  # type: ignore[arg-type]
        facts: dict[str, Any] = {"rows": len(rows), "bytes": len(data), "etag": hashlib.sha256(data).hexdigest()}
        facts |= {"t_min": min(row[0] for row in shifted), "t_max": max(row[0] + row[1] for row in shifted)}
        facts["body"] = gzip.compress(data, 1, mtime=0)
        Segment.objects.update_or_create(run_id=self.run_id, generation=self.generation, k=self.k, defaults=facts)
