"""Keyframes: the fold written down, so that no seek and no restart begins at zero.

A keyframe holds exactly the events with n <= its n and time <= its time; one that is only shown, those up to its time, and its n is 0.
One that cannot be read is passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db.models import BinaryField
from django.db.models.functions import Substr

from trajectories.derive import snapshots
from trajectories.models import Keyframe
from trajectories.models.packing import Blocks
from trajectories.models.reading import everything
from trajectories.reducers import RULES_VERSION, TABLES, Fold, TooLate, Trail

logger = logging.getLogger(__name__)
CHANGES = 5_000
RUN_MS = 60_000
Row = dict[str, Any]
T = TypeVar("T")


def is_due(changes: int, rows: int, at: int, last_at: int | None) -> bool:
    """A keyframe every max(5,000 changes, 60 s of run time), and not before as many changes as it will hold rows.

    So all keyframes of a run together cost about as much as its changes, and a seek about as much as one keyframe.
    """
    return changes >= max(CHANGES, rows) and (last_at is None or at - last_at >= RUN_MS)


def save(run_id: int, generation: int, c: int, n: int, at: int, fold: Fold) -> None:
    """Write one from which the fold can go on; the same place twice is one."""
    _save(run_id, generation, c, n, at, snapshots.write(RULES_VERSION, fold.tables, fold.inner()))


def save_shown(
    run_id: int, generation: int, c: int, at: int, tables: Mapping[str, snapshots.Rows], base: int | None
) -> None:
    """Write one of tables only, to be shown and not to be folded on from; with a `base`, what differs from the one at that change."""
    _save(run_id, generation, c, 0, at, snapshots.write(RULES_VERSION, tables, base=base))


def _save(run_id: int, generation: int, c: int, n: int, at: int, body: bytes) -> None:
    facts = {"n": n, "at": at, "snapshot": body}
    Keyframe.objects.update_or_create(run_id=run_id, generation=generation, c=c, defaults=facts)


def tables(
    run_id: int, generation: int, c: int, names: Collection[str] | None = None
) -> tuple[snapshots.Tables, int] | None:
    """(tables, their c) of the newest readable keyframe at or before change `c`: of a settled log, or of a live one. With `names` only those are read."""
    places = Keyframe.objects.filter(run_id=run_id, generation=generation, c__lte=c).order_by("-c")
    for held in places.values_list("c", flat=True).iterator(10):
        if (found := by_table(run_id, generation, held)) is not None:
            return {name: each.laid() for name, each in found.items() if names is None or name in names}, held
    return None


@dataclass(frozen=True, slots=True)
class Unread:
    """A table of a keyframe as the bytes it lies in: its piece, then what differs from it."""

    pieces: list[bytes]

    def laid(self) -> dict[Any, Row]:
        """Its rows."""
        rows: dict[Any, Row] = {}
        for piece in self.pieces:
            snapshots.lay(rows, snapshots.pairs(piece))
        return rows

    def blocks(self) -> Blocks | None:
        """What it lies in, if that is blocks and nothing differs."""
        return snapshots.blocks(self.pieces[0]) if len(self.pieces) == 1 else None


def by_table(run_id: int, generation: int, c: int) -> dict[str, Unread] | None:
    """The tables of the keyframe after change `c`. None if none stands there, or it cannot be read."""
    if not Keyframe.objects.filter(run_id=run_id, generation=generation, c=c).exists():
        return None
    shown = _shown(run_id, generation, c)
    under = None if shown is None or shown.base is None else _shown(run_id, generation, shown.base)
    if shown is None or (shown.base is not None and under is None):
        return None
    layers = [dict(each.pieces()) for each in (under, shown) if each is not None]
    names = dict.fromkeys([*TABLES, *(name for layer in layers for name in layer)])
    return {name: Unread([layer[name] for layer in layers if name in layer]) for name in names}


def _shown(run_id: int, generation: int, c: int) -> snapshots.Snapshot | None:
    """The tables' part of a keyframe: of the last one of a big run, the part that only a fold needs is as large as all tables."""
    row = Keyframe.objects.filter(run_id=run_id, generation=generation, c=c)

    def upto(count: int) -> bytes:
        cut = Substr("snapshot", 1, count, output_field=BinaryField())
        return bytes(row.values_list(cut, flat=True).get())

    def opened() -> snapshots.Snapshot:
        head = upto(snapshots.head_length(upto(snapshots.FIRST)))
        return _ours(snapshots.Snapshot(upto(snapshots.Snapshot(head).shown)))

    return _tried(opened, f"{generation}/{c}", run_id)


def fold(keyframe: Keyframe) -> Fold | None:
    """The fold it holds; None if it holds tables only."""

    def restored() -> Fold | None:
        found = _ours(snapshots.Snapshot(bytes(keyframe.snapshot)))
        if not found.foldable:
            return None
        told = {name: dict(enumerate(row for _, row in pairs)) for name, pairs in found.tables()}
        return Fold.restore({"rules_version": found.rules_version, "tables": told, **found.inner()})

    return _tried(restored, str(keyframe), keyframe.run_id)


def _ours(found: snapshots.Snapshot) -> snapshots.Snapshot:
    if found.rules_version != RULES_VERSION:
        raise ValueError(f"keyframe of rules {found.rules_version}, these are {RULES_VERSION}")
    return found


def _tried(read: Callable[[], T], name: str, run_id: int) -> T | None:
    """None if another release wrote it in a way that this one does not read. The events always do."""
    try:
        return read()
    except Exception as problem:  # a cache that cannot be read is no cache, whatever is wrong with it
        logger.info("keyframe %s of run %s is passed over: %s", name, run_id, problem)
        return None


def trail(run_id: int, generation: int, n: int, at: int | None = None) -> tuple[Trail, int]:
    """The trail of all events with number <= `n` (and time <= `at`), from the newest keyframe early enough; and its time."""
    limits = {} if at is None else {"at__lte": at}
    for base, held_n, held_at in _bases(run_id, generation, **limits):
        found = Trail(base) if held_at < 0 else Trail(base, since=(held_at + 1, -1, -1, "", -1))
        missing = everything(run_id, n, at, (held_n, held_at))
        last = held_at
        try:
            while events := [event for _, event in islice(missing, 5_000)]:
                found.take(events)
                last = max(last, events[-1].at)
        except TooLate:
            continue
        return found, last
    raise AssertionError("the empty fold takes everything")


def _bases(run_id: int, generation: int, **limits: int) -> Iterator[tuple[Fold, int, int]]:
    """(fold, n, at) to start from, newest first, the empty fold last."""
    for keyframe in _descending(run_id, generation, **limits):
        base = fold(keyframe)
        if base is not None:
            yield base, keyframe.n, keyframe.at
    yield Fold(), 0, -1


def _descending(run_id: int, generation: int, **limits: int) -> Iterator[Keyframe]:
    return Keyframe.objects.filter(run_id=run_id, generation=generation, **limits).order_by("-at", "-c").iterator(1)
