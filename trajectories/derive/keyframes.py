"""Keyframes: the fold written down, so that no seek and no restart begins at zero.

A keyframe holds exactly the events with n <= its n and time <= its time. One that cannot be read is passed over.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

import orjson

from trajectories.models import Keyframe
from trajectories.models.packing import pack, unpack
from trajectories.models.reading import everything
from trajectories.reducers import RULES_VERSION, Fold, TooLate, Trail

logger = logging.getLogger(__name__)
CHANGES = 5_000
RUN_MS = 60_000
_LENGTH = struct.Struct("<I")  # of the tables; what follows them is what only a fold needs
Row = dict[str, Any]
T = TypeVar("T")


def is_due(changes: int, rows: int, at: int, last_at: int | None) -> bool:
    """A keyframe every max(5,000 changes, 60 s of run time), and not before as many changes as it will hold rows.

    So all keyframes of a run together cost about as much as its changes, and a seek about as much as one keyframe.
    """
    return changes >= max(CHANGES, rows) and (last_at is None or at - last_at >= RUN_MS)


def save(run_id: int, generation: int, c: int, n: int, at: int, fold: Fold, *, whole: bool = True) -> None:
    """Write one; the same place twice is one. Not `whole`: the tables only, to be shown and not to be folded on from."""
    shown = pack(orjson.dumps({"rules_version": RULES_VERSION, "tables": fold.tables}, option=orjson.OPT_NON_STR_KEYS))
    inner = pack(orjson.dumps(fold.inner(), option=orjson.OPT_NON_STR_KEYS)) if whole else b""
    facts = {"n": n, "at": at, "snapshot": _LENGTH.pack(len(shown)) + shown + inner}
    Keyframe.objects.update_or_create(run_id=run_id, generation=generation, c=c, defaults=facts)


def tables(run_id: int, generation: int, c: int) -> tuple[dict[str, dict[Any, Row]], int] | None:
    """(tables, their c) of the newest readable keyframe at or before change `c`: of a settled log, or of a live one."""
    for keyframe in Keyframe.objects.filter(run_id=run_id, generation=generation, c__lte=c).order_by("-c").iterator(1):
        told = _read(keyframe, lambda shown, inner: Fold.tables_of(orjson.loads(unpack(shown))))
        if told is not None:
            return told, keyframe.c
    return None


def fold(keyframe: Keyframe) -> Fold | None:
    """The fold it holds; None if it holds tables only."""
    return _read(
        keyframe,
        lambda shown, inner: Fold.restore(orjson.loads(unpack(shown)) | orjson.loads(unpack(inner))) if inner else None,
    )


def _read(keyframe: Keyframe, make: Callable[[bytes, bytes], T]) -> T | None:
    """None if another release wrote it in a way that this one does not read. The events always do."""
    try:
        body = bytes(keyframe.snapshot)
        end = _LENGTH.size + _LENGTH.unpack_from(body)[0]
        return make(body[_LENGTH.size : end], body[end:])
    except Exception as problem:  # a cache that cannot be read is no cache, whatever is wrong with it
        logger.info("keyframe %s of run %s is passed over: %s", keyframe, keyframe.run_id, problem)
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
