"""Who was handed a note or a message: counts for the four delivery pips wherever one is listed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from trajectories.events import RANKS
from trajectories.models import EventRow
from trajectories.models.roster import roster
from trajectories.transcripts.reach import STATES, Inboxes, inboxes_of

Place = tuple[int, str]
NOWHERE: Place = (-1, "")


@dataclass(frozen=True, slots=True)
class Delivered:
    """How many of `of` receivers had it stored, leased, shown and acknowledged, each state including those further on."""

    of: int
    counts: tuple[int, int, int, int]

    @property
    def furthest(self) -> int:
        """Pips that are on: the furthest state that every receiver has reached, else that any has; 0..4."""
        for needed in (self.of, 1):
            reached = [k + 1 for k, count in enumerate(self.counts) if needed and count >= needed]
            if reached:
                return max(reached)
        return 0

    def as_json(self) -> dict[str, Any]:
        """For the API."""
        return {"of": self.of, **dict(zip(STATES, self.counts, strict=True)), "furthest": self.furthest}

    def words(self) -> str:
        """`shown to 2 of 7`; the state that the last pip stands for, and how many reached it."""
        state = self.furthest
        if not self.of:
            return "no receiver"
        if not state:
            return "not handed over yet"
        count = self.counts[state - 1]
        return (
            STATES[state - 1]
            if count == self.of == 1
            else f"{STATES[state - 1]} {'to' if state == 3 else 'by'} {count} of {self.of}"
        )


class Deliveries:
    """The inboxes of a run as they are now. `seen` = note number each worker has read up to, from the State."""

    def __init__(self, run_id: int, seen: dict[int, int] | None = None) -> None:
        self.run_id = run_id
        self.inboxes: Inboxes = inboxes_of(run_id)
        self.seen = seen or {}

    @cached_property
    def told(self) -> bool:
        """Whether this run's workers tell of their inboxes at all."""
        return bool(self.inboxes)

    @cached_property
    def messages(self) -> dict[str, tuple[Place, int | None, str, list[int]]]:
        """message id -> (its place in time, author, kind, receivers of a direct one)."""
        known = roster(self.run_id)
        rows = EventRow.objects.filter(run_id=self.run_id, rank=RANKS["mattermost"], kind="message.posted")
        found = {}
        for at, actor, text in rows.values_list("at", "actor", "fields"):
            fields = orjson.loads(text)
            id = str(fields.get("message"))
            to = [known.get(str(name), known.get(f"mattermost:{name}")) for name in fields.get("to") or []]
            to_workers = [number for number in to if number is not None]
            found[id] = ((at, id), known.get(actor or ""), str(fields.get("kind")), to_workers)
        return found

    def note(self, number: int, author: int | None) -> Delivered:
        """A note of the board: shown to whoever was handed it or read the board up to it."""
        rows = self._board
        receivers = [worker for worker in rows if worker != author]
        return self._count(receivers, [sorted(rows[w][k] for w in receivers) for k in range(4)], number)

    @cached_property
    def _board(self) -> dict[int, list[int]]:
        """worker -> for each state the newest note number."""
        workers = {*self.seen, *(int(worker) for worker in self.inboxes.get("board", {}))}
        told = {}
        for worker in workers:
            row = self.inboxes.get("board", {}).get(str(worker)) or [None] * 4
            own = [int(mark[0]) if mark and isinstance(mark[0], int) else 0 for mark in row]
            own[2] = max(own[2], self.seen.get(worker, 0))
            told[worker] = [max(own[k:]) for k in range(4)]
        return told

    def message(self, id: str) -> Delivered | None:
        """A message; None for one nobody posted."""
        known = self.messages.get(id)
        if known is None:
            return None
        place, author, kind, to = known
        feed = "direct" if kind == "direct" else "channel"
        everybody = {*self.seen, *(int(worker) for worker in self.inboxes.get(feed, {}))}
        receivers = to if kind == "direct" else [worker for worker in everybody if worker != author]
        rows = [self._places(feed, worker) for worker in receivers]
        return self._count(receivers, [sorted(row[k] for row in rows) for k in range(4)], place)

    def _places(self, feed: str, worker: int) -> list[Place]:
        row = self.inboxes.get(feed, {}).get(str(worker)) or [None] * 4
        own = [self._place(mark) for mark in row]
        return [max(own[k:]) for k in range(4)]

    def _place(self, mark: Any) -> Place:
        known = self.messages.get(str(mark[0])) if mark else None
        return known[0] if known else NOWHERE

    @staticmethod
    def _count(receivers: Iterable[int], marks: list[list[Any]], place: Any) -> Delivered:
        total = len(list(receivers))
        counts = tuple(total - bisect_left(row, place) for row in marks)
        return Delivered(total, counts)  # type: ignore[arg-type]
