"""Keyframes: the fold written down, so that no seek and no restart begins at zero.

A keyframe holds exactly the events with n <= its n and time <= its time. One that cannot be read is passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson
from django.db.models import Q

from trajectories.models import Keyframe
from trajectories.models.packing import pack, unpack
from trajectories.models.reading import canonical
from trajectories.reducers import Fold, TooLate, Trail

logger = logging.getLogger(__name__)
CHANGES = 5_000
RUN_MS = 60_000


def is_due(changes: int, at: int, last_at: int | None) -> bool:
    """A keyframe every max(5,000 changes, 60 s of run time)."""
    return changes >= CHANGES and (last_at is None or at - last_at >= RUN_MS)


def save(run_id: int, generation: int, c: int, n: int, at: int, snapshot: dict[str, Any]) -> None:
    """Write one; the same place twice is one."""
    body = pack(orjson.dumps(snapshot, option=orjson.OPT_NON_STR_KEYS))
    facts = {"n": n, "at": at, "snapshot": body}
    Keyframe.objects.update_or_create(run_id=run_id, generation=generation, c=c, defaults=facts)


def newest(run_id: int, generation: int, **at_most: int) -> tuple[Fold, int] | None:
    """(fold, c) of the newest readable keyframe with `c` or `at` at most the given one."""
    limits = {f"{name}__lte": value for name, value in at_most.items()}
    found = ((fold(keyframe), keyframe.c) for keyframe in _descending(run_id, generation, **limits))
    return next(((base, c) for base, c in found if base is not None), None)


def fold(keyframe: Keyframe) -> Fold | None:
    """The fold it holds; None if another release wrote it in a way that this one does not read. The events always do."""
    try:
        return Fold.restore(orjson.loads(unpack(keyframe.snapshot)))
    except Exception as problem:  # a cache that cannot be read is no cache, whatever is wrong with it
        logger.info("keyframe %s of run %s is passed over: %s", keyframe, keyframe.run_id, problem)
        return None


def trail(run_id: int, generation: int, n: int, at: int | None = None) -> tuple[Trail, int]:
    """The trail of all events with number <= `n` (and time <= `at`), from the newest keyframe early enough; and its time."""
    limits = {} if at is None else {"at__lte": at}
    for base, held_n, held_at in _bases(run_id, generation, **limits):
        found = Trail(base) if held_at < 0 else Trail(base, since=(held_at + 1, -1, -1, "", -1))
        missing = canonical(run_id, Q(n__gt=held_n) | Q(at__gt=held_at), n__lte=n, **limits)
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
