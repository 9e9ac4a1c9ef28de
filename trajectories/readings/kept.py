"""Readings of a settled run that take long, kept beside its timeline once they were made: nobody waits for them again.

What is kept says which code made it: after an update of the product it is made anew when it is first asked for.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import orjson
from django.db import DatabaseError, transaction

from trajectories.derive import tiles
from trajectories.models import Tile
from trajectories.newest import Newest

logger = logging.getLogger(__name__)
T = TypeVar("T")
_ROOM = Path(__file__).parent
_SOURCES = (*sorted(_ROOM.glob("*.py")), _ROOM.parent / "summary.py")


def kept(name: str, make: Callable[[Newest], T]) -> Callable[[Newest], T]:
    """`make` with a memory, for `Newest.reading`. It answers JSON values, lists for tuples. `name` = at most 12 letters."""

    def reading(newest: Newest) -> T:
        if not newest.settled:
            return make(newest)
        place = {"run_id": newest.run_id, "generation": newest.generation, "name": tiles.READING + name}
        found = Tile.objects.filter(**place).values_list("body", flat=True).first()
        told = _opened(found) if found is not None else None
        if told is None:
            made = orjson.dumps(make(newest))
            _keep(place, made)
            told = made
        return orjson.loads(told)  # type: ignore[no-any-return]

    return reading


def _opened(body: bytes | memoryview) -> bytes | None:
    """What a tile tells; None if other code made it."""
    head, made = tiles.unpack(gzip.decompress(body))
    return made if head["made_by"] == _made_by() else None


def _keep(place: dict[str, Any], made: bytes) -> None:
    try:
        with transaction.atomic():
            tiles.save(**place, data=tiles.pack({"made_by": _made_by()}, made))
    except DatabaseError as fault:  # a database that is locked or only read: the next one makes it again
        logger.info("run %s: %s was not kept: %s", place["run_id"], place["name"], fault)


@cache
def _made_by() -> str:
    """A name of the code that makes readings."""
    return hashlib.sha256(b"".join(source.read_bytes() for source in _SOURCES)).hexdigest()[:16]
