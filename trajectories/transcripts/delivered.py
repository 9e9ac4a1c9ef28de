"""Who was handed a note or a message: counts for the four delivery pips wherever one is listed."""

from __future__ import annotations

from bisect import bisect_left
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
            else f"{STATES[state - 1]} {'to' if state == 3 else 'by'} {count:,} of {self.of:,}"
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
    def _posted(self) -> dict[str, tuple[int, str | None]]:
        """message id -> (when it was posted, the key of its event): an id is what its event's begins with."""
        rows = EventRow.objects.filter(run_id=self.run_id, rank=RANKS["mattermost"], kind="message.posted")
        return {key.partition("@")[0]: (at, key) for key, at in rows.values_list("key", "at")}

    @cached_property
    def _known(self) -> dict[str, int]:
        return roster(self.run_id)

    def note(self, number: int, author: int | None) -> Delivered:
        """A note of the board: shown to whoever was handed it or read the board up to it."""
        rows, ordered = self._board
        return self._all_but(rows.get(author) if author is not None else None, len(rows), ordered, number)

    @cached_property
    def _board(self) -> tuple[dict[int, list[int]], list[list[int]]]:
        """worker -> for each state the newest note number; and these in order, a list a state."""
        workers = {*self.seen, *(int(worker) for worker in self.inboxes.get("board", {}))}
        told = {}
        for worker in workers:
            row = self.inboxes.get("board", {}).get(str(worker)) or [None] * 4
            own = [int(mark[0]) if mark and isinstance(mark[0], int) else 0 for mark in row]
            own[2] = max(own[2], self.seen.get(worker, 0))
            told[worker] = [max(own[k:]) for k in range(4)]
        return told, [sorted(row[k] for row in told.values()) for k in range(4)]

    def message(self, id: str) -> Delivered | None:
        """A message; None for one nobody posted."""
        at, key = self._posted.get(id, (0, None))
        if key is None:
            return None
        # By its key alone: told the kind as well, SQLite reads every message of the run.
        said = EventRow.objects.filter(run_id=self.run_id, source="mattermost", key=key)
        found = next(
            (row[1:] for row in said.values_list("kind", "actor", "fields") if row[0] == "message.posted"), None
        )
        if found is None:
            return None
        fields, place = orjson.loads(found[1]), (at, id)
        if fields.get("kind") == "direct":
            to = [self._known.get(str(name), self._known.get(f"mattermost:{name}")) for name in fields.get("to") or []]
            rows = [self._places("direct", number) for number in to if number is not None]
            return self._all_but(None, len(rows), [sorted(row[k] for row in rows) for k in range(4)], place)
        everybody, ordered = self._channel
        author = self._known.get(found[0] or "")
        return self._all_but(everybody.get(author) if author is not None else None, len(everybody), ordered, place)

    @cached_property
    def _channel(self) -> tuple[dict[int, list[Place]], list[list[Place]]]:
        """worker -> for each state its place in the channel; and these in order, a list a state."""
        workers = {*self.seen, *(int(worker) for worker in self.inboxes.get("channel", {}))}
        rows = {worker: self._places("channel", worker) for worker in workers}
        return rows, [sorted(row[k] for row in rows.values()) for k in range(4)]

    def _places(self, feed: str, worker: int) -> list[Place]:
        row = self.inboxes.get(feed, {}).get(str(worker)) or [None] * 4
        own = [self._place(mark) for mark in row]
        return [max(own[k:]) for k in range(4)]

    def _place(self, mark: Any) -> Place:
        known = self._posted.get(str(mark[0])) if mark else None
        return (known[0], str(mark[0])) if known else NOWHERE

    @staticmethod
    def _all_but(author: list[Any] | None, everybody: int, ordered: list[list[Any]], place: Any) -> Delivered:
        """Of those whose marks these are, how many have come up to a place, whoever wrote it not counted."""
        counts = [everybody - bisect_left(marks, place) for marks in ordered]
        if author is None:
            return Delivered(everybody, tuple(counts))  # type: ignore[arg-type]
        own = [count - (mark >= place) for count, mark in zip(counts, author, strict=True)]
        return Delivered(everybody - 1, tuple(own))  # type: ignore[arg-type]
