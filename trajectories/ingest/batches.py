"""ACP batches: items are deduped, not batches. What of a batch is new is stored under the id of its first new item."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import lt
from typing import Any

import orjson
from django.db import transaction

from trajectories.events import millis
from trajectories.ingest import counters
from trajectories.ingest.incoming import LATEST, Incoming
from trajectories.ingest.jsontext import DEPTH, Unreadable, is_plain, read, write
from trajectories.ingest.slices import elements, members
from trajectories.ingest.store import store, store_unheard

ITEMS = 2_000
PIECE = 200  # items per stored delivery of a batch that had to be cut: a transaction stays short
SKEW_MS = 5_000
_DIRECTIONS = {"to_agent", "from_agent", "loop", "noise"}


class BadBatch(ValueError):
    """The batch as a whole cannot be read; the message says why."""


@dataclass(slots=True)
class Item:
    """One item: its number, time, raw text and reading."""

    n: int
    at: int
    raw: bytes
    value: Any


@dataclass(slots=True)
class Batch:
    """A batch as read: sound items in order, refused ones with the reason."""

    worker: Any
    life: Any
    sent_at: str | None
    items: list[Item] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    whole: bytes = b""  # its text, where all of it is sound as it came; then `items` are the first and the last alone
    value: Any = None  # the reading of `whole`


def read_batch(raw: bytes) -> Batch:
    """Read a batch, item by item unless nothing in it needs a closer look. Raises BadBatch when there are no items to speak of."""
    return (_sound(raw) if is_plain(raw) else None) or _cut(raw)


def _sound(raw: bytes) -> Batch | None:
    """A batch as our own workers send it: plain JSON, every item sound, numbers rising; None for any other."""
    try:
        value = orjson.loads(raw)
        items = value["items"]
        numbers = [item["n"] for item in items]
        times = [millis(item["at"]) for item in items]
        directions = {item["dir"] for item in items}
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    sound = (
        0 < len(items) <= ITEMS
        and directions <= _DIRECTIONS
        and type(value.get("worker")) is int
        and (value.get("sent_at") is None or _moment(value["sent_at"]) is not None)
        and set(map(type, numbers)) == {int}
        and 0 < numbers[0] <= numbers[-1] < 2**31
        and all(map(lt, numbers, numbers[1:]))
        and min(times) >= 0
        and max(times) <= LATEST
        and value.keys() <= {"worker", "life", "sent_at", "items"}
    )
    if not sound:
        return None
    ends = [Item(numbers[k], times[k], b"", items[k]) for k in (0, -1)]
    return Batch(value["worker"], value.get("life"), value.get("sent_at"), ends, [], raw, value)


def _cut(raw: bytes) -> Batch:
    try:
        parts = members(raw)
        texts = elements(parts["items"])
        head = {name: read(parts[name]) for name in ("worker", "life", "sent_at") if name in parts}
    except (ValueError, KeyError) as problem:
        raise BadBatch(f"not a batch: {problem}" if str(problem) else "not a batch") from None
    if len(texts) > ITEMS:
        raise BadBatch(f"{len(texts)} items; at most {ITEMS} in a batch")
    batch = Batch(
        head.get("worker"), head.get("life"), head["sent_at"] if _moment(head.get("sent_at")) is not None else None
    )
    for index, text in enumerate(texts):
        try:
            batch.items.append(_item(text))
        except ValueError as problem:
            batch.refused.append({"n": _number(text), "index": index, "status": "refused", "reason": str(problem)})
    batch.items.sort(key=lambda item: item.n)
    return batch


def store_batch(run_id: int, worker: int, life: int, batch: Batch, received_at: int, headers: dict[str, str]) -> int:
    """Store the new items; answers with the highest n up to which every item is settled (stored, or refused for good)."""
    sent_at = _moment(batch.sent_at)
    skew = received_at - sent_at if sent_at is not None else 0
    skew = skew if abs(skew) > SKEW_MS else 0
    if batch.whole:
        upto = _store_whole(run_id, worker, life, batch, received_at, skew, headers)
        if upto is not None:
            return upto
        batch = _cut(batch.whole)
    refused = [row["n"] for row in batch.refused if type(row["n"]) is int]
    pieces = [batch.items[start : start + PIECE] for start in range(0, len(batch.items), PIECE)] or [[]]
    for piece in pieces:
        with transaction.atomic():
            ranges = orjson.loads(counters.heard(run_id, worker, life))
            new = [item for item in {i.n: i for i in reversed(piece)}.values() if not _holds(ranges, item.n)]
            new.sort(key=lambda item: item.n)
            if new:
                store(run_id, "acp", [_delivery(worker, life, new, batch, received_at, skew, headers)])
            merged = _merge(ranges, _runs(sorted({item.n for item in new} | set(refused))))
            if merged != ranges:
                counters.keep_heard(run_id, worker, life, orjson.dumps(merged).decode())
            counters.polled(run_id, "acp", received_at)  # last: rows are locked in one order, spool, stream, feed
    return _upto(merged)


def _store_whole(
    run_id: int, worker: int, life: int, batch: Batch, received_at: int, skew: int, headers: dict[str, str]
) -> int | None:
    """The same where all items are new, or none is: the text is stored as it came. None if some are new: it has to be cut."""
    first, last = batch.items[0], batch.items[-1]
    with transaction.atomic():
        ranges = orjson.loads(counters.heard(run_id, worker, life))
        if any(low <= first.n and last.n <= high for low, high in ranges):
            counters.polled(run_id, "acp", received_at)
            return _upto(ranges)
        if batch.worker != worker or any(low <= last.n and first.n <= high for low, high in ranges):
            return None
        at = min(max(first.at + skew, 0), LATEST)
        id = f"{worker}-{life}-{first.n}"
        one = Incoming(id, first.n, at, received_at, batch.whole, headers, skew, batch.value)
        store_unheard(run_id, one)
        ranges = _merge(ranges, _runs([item["n"] for item in batch.value["items"]]))
        counters.keep_heard(run_id, worker, life, orjson.dumps(ranges).decode())
        counters.polled(run_id, "acp", received_at)
    return _upto(ranges)


def _upto(ranges: list[list[int]]) -> int:
    return ranges[0][1] if ranges and ranges[0][0] == 1 else 0


def _delivery(
    worker: int, life: int, items: list[Item], batch: Batch, received_at: int, skew: int, headers: dict[str, str]
) -> Incoming:
    first = items[0]
    head = {"worker": worker, "life": life, "sent_at": batch.sent_at}
    raw = write(head)[:-1] + b',"items":[' + b",".join(item.raw for item in items) + b"]}"
    value = {**head, "items": [item.value for item in items]}
    at = min(max(first.at + skew, 0), LATEST)
    return Incoming(f"{worker}-{life}-{first.n}", first.n, at, received_at, raw, headers, skew, value)


def _item(text: bytes) -> Item:
    value = read(text, DEPTH - 2)  # so that the batch around it stays within DEPTH
    if not isinstance(value, dict):
        raise Unreadable("an item must be an object")
    n, at = value.get("n"), _moment(value.get("at"))
    if type(n) is not int or not 0 < n < 2**31:
        raise Unreadable("n must be an integer from 1")
    if at is None:
        raise Unreadable("at must be an ISO 8601 time")
    if value.get("dir") not in _DIRECTIONS:
        raise Unreadable("dir must be to_agent, from_agent, loop or noise")
    return Item(n, at, text, value)


def _number(text: bytes) -> int | None:
    """The n of an item that cannot be read whole, if its own text says one."""
    try:
        n = read(members(text)["n"])
    except (ValueError, KeyError):
        return None
    return n if type(n) is int and 0 < n < 2**31 else None


def _moment(value: Any) -> int | None:
    if type(value) is not str:
        return None
    try:
        at = millis(value)
    except (ValueError, OverflowError):
        return None
    return at if 0 <= at <= LATEST else None


def _holds(ranges: list[list[int]], n: int) -> bool:
    return any(first <= n <= last for first, last in ranges)


def _runs(numbers: list[int]) -> list[list[int]]:
    """[first, last] of each run of neighbours; the numbers rise."""
    if numbers and numbers[-1] - numbers[0] + 1 == len(numbers):
        return [[numbers[0], numbers[-1]]]
    return _merge([], [[n, n] for n in numbers])


def _merge(ranges: list[list[int]], more: list[list[int]]) -> list[list[int]]:
    merged: list[list[int]] = []
    for first, last in sorted([*ranges, *more]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged
