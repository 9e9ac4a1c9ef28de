"""One page of a transcript: the entries that begin in a range of items, each complete, however much later it ended."""

from __future__ import annotations

from typing import Any

from trajectories.models import Stream
from trajectories.transcripts.entries import Entries
from trajectories.transcripts.items import items
from trajectories.transcripts.texts import CLIP

MOST = 400  # items of one page
AHEAD = 200  # items read on at a time while a step of the page has no end
FARTHEST = 2_000


def page(run_id: int, worker: int, life: int, first: int, last: int, clip: int | None = CLIP) -> list[dict[str, Any]]:
    """Entries whose first item is in first..last (at most MOST items). A step still without an end FARTHEST items on stays open."""
    last = min(last, first + MOST - 1)
    fold = Entries(life, Stream.of(run_id).t0 or 0, last, clip)
    for item in items(run_id, worker, life, first, last):
        fold.take(item)
    ahead = last
    while fold.is_open and ahead < last + FARTHEST:
        more = list(items(run_id, worker, life, ahead + 1, ahead + AHEAD))
        for item in more:
            fold.take(item)
        if not more:
            break
        ahead += AHEAD
    return fold.finished()


def entry(run_id: int, worker: int, life: int, n: int) -> dict[str, Any] | None:
    """The entry that begins at item `n`, with all its text."""
    found = page(run_id, worker, life, n, n, clip=None)
    return next((row for row in found if row["id"] == f"{life}-{n}"), None)
