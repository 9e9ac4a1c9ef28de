"""One deriver per run: new events in, change records out. It waits for nothing and rewinds at most once per wake."""

from __future__ import annotations

import time
from collections import Counter
from itertools import takewhile

from django.db.models import F

from trajectories.derive import changelog, keyframes
from trajectories.derive.timeline import Timeline
from trajectories.events import Event, is_tally
from trajectories.ingest.garbage import seldom_collected
from trajectories.models import Feed, Stream
from trajectories.models.reading import arrived
from trajectories.reducers import Change, TooLate, Trail

BATCH = 5_000
LATE_MS = 60_000
PAUSE_S = 5.0  # between two rewinds beyond LATE_MS


class Deriver:
    """Keeps the live fold of one run in memory. The caller holds the run's lease.

    After each `wake`, State == fold of all events up to `n`, and the change log says the same.
    """

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.trail: Trail | None = None
        self.generation = 0
        self.n = 0
        self.c = 0
        self.newest_at = -1
        self.keyframe_c = 0
        self.keyframe_at: int | None = None
        self.rewound = 0.0
        self.timeline = Timeline(run_id, 0)

    def wake(self) -> int:
        """Take all new events at once; returns how many changes were written."""
        stream = Stream.of(self.run_id)
        if self.trail is None or stream.generation != self.generation or stream.c != self.c:
            return self._load(stream)
        if stream.n <= self.n:
            return 0
        pairs = list(
            arrived(self.run_id, self.n, min(BATCH, stream.n - self.n))
        )  # never beyond what is committed whole
        events = [event for _, event in pairs]
        late = [e for e in events if not is_tally(e.kind) and e.at < self.newest_at - LATE_MS]
        if late and time.monotonic() - self.rewound < PAUSE_S:
            return 0
        if late:
            self.rewound = time.monotonic()
            self._count_late(late)
        try:
            with seldom_collected():
                changes = self.trail.take(events)
        except TooLate:
            self.trail = None
            return self._load(stream)
        written = self._write(changes, events, pairs[-1][0])
        self.timeline.follow(pairs, changes, self.trail.fold)
        return written

    def live_hash(self) -> str:
        """The hash of the live fold; empty before the first wake."""
        return self.trail.fold.hash() if self.trail is not None else ""

    def _load(self, stream: Stream) -> int:
        """Fold from the newest keyframe that is early enough, and heal the log if it says otherwise."""
        self.generation, self.c, upto = stream.generation, stream.c, stream.n
        trail, at = keyframes.trail(self.run_id, self.generation, upto)
        self.trail, self.newest_at = trail, at
        self.keyframe_c, self.keyframe_at = self.c, at if at >= 0 else None
        told = changelog.tables_at(self.run_id, self.generation, self.c)
        changes = changelog.difference(told, trail.fold.tables, max(at, 0), "")
        self.timeline = Timeline(self.run_id, self.generation)
        told_of = takewhile(lambda pair: pair[0] <= upto, arrived(self.run_id, 0))
        self.timeline.follow(told_of, changes, trail.fold)
        return self._write(changes, [], upto)

    def _write(self, changes: list[Change], events: list[Event], n: int) -> int:
        assert self.trail is not None
        if events:
            self.newest_at = max(self.newest_at, *(event.at for event in events))
        self.c = changelog.append(self.run_id, self.generation, self.c, changes)
        self.n = n
        facts = {"derived_n": n, "t0": self.trail.fold.offset_at}
        Stream.objects.filter(run_id=self.run_id, generation=self.generation).update(**facts)
        rows = sum(map(len, self.trail.fold.tables.values()))
        if keyframes.is_due(self.c - self.keyframe_c, rows, self.newest_at, self.keyframe_at):
            keyframes.save(self.run_id, self.generation, self.c, self.n, self.newest_at, self.trail.fold)
            self.keyframe_c, self.keyframe_at = self.c, self.newest_at
        return len(changes)

    def _count_late(self, late: list[Event]) -> None:
        for source, count in Counter(event.source for event in late).items():
            Feed.objects.filter(run_id=self.run_id, source=source).update(late=F("late") + count)
