"""Raw ACP items of one life of a worker, by number. A delivery's id holds the number of its first item, so ids find it by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.events import millis
from trajectories.ingest.batches import ITEMS, PIECE
from trajectories.ingest.jsontext import Unreadable, read
from trajectories.models import Delivery
from trajectories.models.packing import unpack


@dataclass(frozen=True, slots=True)
class Item:
    """One item: `n` in its life, `at` ms since the epoch, `dir` and `msg` as they came, `harness` the agent's name or empty."""

    n: int
    at: int
    dir: str
    session: int
    turn: int
    msg: Any
    harness: str = ""


def items(run_id: int, worker: int, life: int, first: int, last: int) -> Iterator[Item]:
    """The items with first <= n <= last that are stored, by rising n; reads only the deliveries that hold them."""
    seen = first - 1
    for body, skew, harness in _bodies(run_id, worker, life, first, last):
        for item in sorted(filter(None, (_item(raw, skew, harness) for raw in body)), key=lambda item: item.n):
            if seen < item.n <= last:
                seen = item.n
                yield item


def _bodies(run_id: int, worker: int, life: int, first: int, last: int) -> Iterator[tuple[list[Any], int, str]]:
    head = f"{worker}-{life}-"
    mine = Delivery.objects.filter(run_id=run_id, source="acp")

    def begun(low: int, high: int) -> list[int]:
        ids = [f"{head}{n}" for n in range(max(1, low), high + 1)]
        found = mine.filter(delivery__in=ids).values_list("seq", flat=True)
        return sorted(found)

    starts = begun(first - PIECE, last)
    if not starts or starts[0] > first:  # a bundle may bring larger batches than this app stores
        starts = begun(first - ITEMS, first - PIECE - 1)[-1:] + starts
    before = [n for n in starts if n <= first][-1:]
    for n in [*before, *(n for n in starts if n > first)]:
        row = mine.filter(delivery=f"{head}{n}").values_list("body", "skew_ms", "headers").first()
        if row is None:
            continue
        try:
            body = read(unpack(row[0]))
        except Unreadable:
            continue
        found = body.get("items") if isinstance(body, Mapping) else None
        if isinstance(found, list):
            harness = json.loads(row[2]).get("X-Agensh-Harness", "")
            yield found, row[1], harness.partition("/")[0].casefold()


def _item(raw: Any, skew: int, harness: str) -> Item | None:
    if not isinstance(raw, Mapping) or type(raw.get("n")) is not int:
        return None
    try:
        at = millis(str(raw.get("at"))) + skew
    except (ValueError, OverflowError):
        return None
    return Item(
        raw["n"], at, str(raw.get("dir")), _whole(raw.get("session")), _whole(raw.get("turn")), raw.get("msg"), harness
    )


def _whole(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 2**31 else 0
