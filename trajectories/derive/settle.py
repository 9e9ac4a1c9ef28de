"""Settle: fold every event once more, in canonical order, into the final change log of the next generation."""

from __future__ import annotations

import logging

from django.db import transaction

from trajectories.derive import changelog, keyframes
from trajectories.derive.timeline import Timeline
from trajectories.derive.totals import keep_totals
from trajectories.ingest import bulk
from trajectories.models import Change as ChangeRow
from trajectories.models import Keyframe, Segment, Stream
from trajectories.models.reading import canonical
from trajectories.reducers import Change, Fold

logger = logging.getLogger(__name__)


def settle(run_id: int, live_hash: str = "") -> str:
    """Write the final log, keyframes and timeline; returns the State hash. Interrupted, it begins again.

    Readers see the old generation until the last write. `live_hash` is compared and kept beside: it must be equal.
    """
    stream = Stream.of(run_id)
    generation, upto = stream.generation + 1, stream.n
    _forget(run_id, generation=generation)
    fold, timeline = Fold(), Timeline(run_id, generation)
    c, last_at, marked_c, marked_at = 0, -1, 0, None
    waiting: list[Change] = []
    for n, event in canonical(run_id, n__lte=upto):
        if event.at > last_at >= 0 and keyframes.is_due(c + len(waiting) - marked_c, last_at, marked_at):
            c, waiting = _flush(run_id, generation, c, waiting)
            keyframes.save(run_id, generation, c, upto, last_at, fold.snapshot())
            marked_c, marked_at = c, last_at
        changes = fold.take(event)
        timeline.take(n, event)
        waiting += changes
        last_at = event.at
        if len(waiting) >= changelog.PIECE:
            c, waiting = _flush(run_id, generation, c, waiting)
    c, waiting = _flush(run_id, generation, c, waiting)
    if last_at >= 0:
        keyframes.save(run_id, generation, c, upto, last_at, fold.snapshot())
    timeline.finish(fold)
    final = fold.hash()
    if live_hash and live_hash != final:
        logger.error("run %s: live and replay differ: %s, %s", run_id, live_hash, final)
    with transaction.atomic():
        facts = {"settled_n": upto, "derived_n": upto, "settled_hash": final, "live_hash": live_hash}
        facts |= {"generation": generation, "c": c, "t0": fold.offset_at}
        Stream.objects.filter(run_id=run_id).update(**facts)
        keep_totals(run_id, fold)
    _forget(run_id, generation__lt=generation)
    return final


def _flush(run_id: int, generation: int, c: int, changes: list[Change]) -> tuple[int, list[Change]]:
    for start in range(0, len(changes), changelog.PIECE):
        piece = changes[start : start + changelog.PIECE]
        with transaction.atomic():
            bulk.insert(ChangeRow, [changelog.row(run_id, generation, k, x) for k, x in enumerate(piece, c + 1)])
        c += len(piece)
    return c, []


def _forget(run_id: int, **which: int) -> None:
    for model in (ChangeRow, Keyframe, Segment):
        model.objects.filter(run_id=run_id, **which).delete()
