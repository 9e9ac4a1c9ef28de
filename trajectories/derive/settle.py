"""Settle: fold every event once more, in canonical order, into the final change log of the next generation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from django.db import transaction

from trajectories.derive import changelog, keyframes, tiles
from trajectories.derive.lean import lean
from trajectories.derive.overview import overview
from trajectories.derive.statuses import Statuses
from trajectories.derive.timeline import Timeline
from trajectories.derive.totals import keep_totals
from trajectories.events import Event
from trajectories.ingest.garbage import seldom_collected
from trajectories.models import Change as ChangeRow
from trajectories.models import ChangePack, Keyframe, Segment, Stream
from trajectories.models.packed import Numbered
from trajectories.models.weaving import Piece, settled
from trajectories.reducers import Change, Fold

logger = logging.getLogger(__name__)
TOLD_EVERY = 5_000  # events between two words of progress
_row = attrgetter("table", "key")
PACKS = 50  # packs of changes a transaction
FEW = 3  # a keyframe of differences holds less than one of so many rows


def settle(
    run_id: int,
    live_hash: str = "",
    told: Callable[[int, int], None] = lambda done, of: None,
    pieces: Iterator[Piece] | None = None,
) -> str:
    """Write the final log, keyframes, timeline and tiles; returns the State hash. Interrupted, it begins again.

    Readers see the old generation until the last write. `live_hash` is compared and kept beside: it must be equal.
    `told(done, of)` hears now and then how many of the events are folded. With `pieces`, what it is to be folded from in place of
    `settled`, the run is still being stored, and is stored whole when they end.
    """
    with seldom_collected():
        return _settle(run_id, live_hash, told, pieces)


def _settle(run_id: int, live_hash: str, told: Callable[[int, int], None], pieces: Iterator[Piece] | None) -> str:
    stream = Stream.of(run_id)
    generation, upto = stream.generation + 1, stream.n
    _forget(run_id, generation=generation)
    log = _Log(run_id, generation)
    timeline = Timeline(run_id, generation)
    count = said = 0
    for piece in settled(run_id, upto) if pieces is None else pieces:
        for glance in piece.glances:
            if timeline.meets(glance.whole) or not log.fold.take_steps(glance.whole):
                log.take_early(glance.events())
                timeline.take(glance.events())
            else:
                timeline.take_steps(glance.whole)
            count += 2 * len(glance.whole.steps)
        if piece.events:
            log.take_tallies(piece.events)
            timeline.take(piece.events)
        if piece.last is not None:
            log.take(piece.last[1])
            timeline.take((piece.last,))
        count += len(piece.events) + (piece.last is not None)
        if count - said >= TOLD_EVERY:
            told(count, max(count, upto))
            said = count
    upto = upto if pieces is None else Stream.of(run_id).n
    log.finish(upto, timeline.newest_at)
    tiles.save(run_id, generation, "overview", overview(timeline.finish(log.fold)))
    tiles.save(run_id, generation, "statuses", log.statuses.finish())
    place = {"generation": generation, "c": log.c, "n": upto, "t0": log.fold.offset_at, "settled": True}
    tiles.save(run_id, generation, "lean", lean(log.fold.tables, place))
    final = log.fold.hash()
    if live_hash and live_hash != final:
        logger.error("run %s: live and replay differ: %s, %s", run_id, live_hash, final)
    with transaction.atomic():
        facts = {"settled_n": upto, "derived_n": upto, "settled_hash": final, "live_hash": live_hash}
        facts |= {"generation": generation, "c": log.c, "t0": log.fold.offset_at}
        Stream.objects.filter(run_id=run_id).update(**facts)
        keep_totals(run_id, log.fold)
    _forget(run_id, generation__lt=generation)
    told(upto, upto)
    return final


class _Log:
    """The final fold with its change log: packs of changes, keyframes between them."""

    def __init__(self, run_id: int, generation: int) -> None:
        self.run_id, self.generation = run_id, generation
        self.fold = Fold()
        self.statuses = Statuses()
        self.c = 0
        self.last_at = -1
        self.waiting: list[Change] = []
        self.packs: list[tuple[Any, ...]] = []  # to be written, many at once: on SQLite somebody else may be storing
        self.marked: tuple[int, int | None] = (0, None)  # c and time of the newest keyframe
        self.base: int | None = None  # c of the newest keyframe of all rows, and what was touched since
        self.touched: dict[tuple[str, Any], None] = {}  # in an order that is the same in every process

    def take(self, event: Event) -> None:
        """The next event."""
        if event.at > self.last_at:
            self.mark_if_due()
        self._keep(self.fold.take(event), event.at)

    def take_tallies(self, events: Sequence[Numbered]) -> None:
        """What follows up to the next event that is no mere sum."""
        if events[0][1].at > self.last_at:
            self.mark_if_due()
        self._keep(self.fold.take_tallies(event for _, event in events), events[-1][1].at)

    def take_early(self, events: Sequence[Numbered]) -> None:
        """Sums of which some are still to come: no keyframe is due for them."""
        self.waiting += self.fold.take_tallies(event for _, event in events)

    def _keep(self, changes: list[Change], at: int) -> None:
        self.waiting += changes
        self.last_at = at
        if len(self.waiting) >= changelog.PACK:
            self._flush()

    def mark_if_due(self) -> None:
        """Between two moments: a keyframe if it is time for one."""
        changes = self.c + len(self.waiting) - self.marked[0]
        if changes >= keyframes.CHANGES:
            rows = sum(map(len, self.fold.tables.values()))
            if keyframes.is_due(changes, rows, self.last_at, self.marked[1]):
                self._mark(rows)

    def finish(self, n: int, at: int) -> None:
        """The rest, and a keyframe of all `n` events, the newest of `at`, from which the end can be folded on."""
        self.fold.catch_up()
        if n:
            self._flush()
            keyframes.save(self.run_id, self.generation, self.c, n, at, self.fold)
        changelog.write_packs(self.packs)

    def _mark(self, rows: int) -> None:
        """Tables only: all of them, or the rows that differ from the newest keyframe of all, while these are few."""
        self._flush()
        tables: dict[str, Any] = self.fold.tables
        if self.base is not None and len(self.touched) * FEW < rows:
            shown: dict[str, Any] = {}
            for table, key in self.touched:
                shown.setdefault(table, {})[key] = tables[table].get(key)
            tables = shown
        else:
            self.base, self.touched = None, {}
        keyframes.save_shown(self.run_id, self.generation, self.c, self.last_at, tables, self.base)
        self.base = self.c if self.base is None else self.base
        self.marked = (self.c, self.last_at)

    def _flush(self) -> None:
        self.statuses.take(self.waiting)
        self.touched.update(dict.fromkeys(map(_row, self.waiting)))
        self.packs += changelog.packs(self.run_id, self.generation, self.c, self.waiting)
        self.c += len(self.waiting)
        self.waiting = []
        if len(self.packs) >= PACKS:
            changelog.write_packs(self.packs)
            self.packs = []


def _forget(run_id: int, **which: int) -> None:
    for model in (ChangeRow, ChangePack, Keyframe, Segment):
        model.objects.filter(run_id=run_id, **which).delete()
    tiles.forget(run_id, **which)
