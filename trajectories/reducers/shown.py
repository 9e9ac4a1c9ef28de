"""When a worker was first shown a note: from its reads of the board and its inbox, whatever the order they arrive in.

Like every tally this never rewinds. The column `shown_at` of a `waste` row is computed when the row is made and corrected by
any later word of an earlier moment; it never holds a moment after the row's own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.fields import count, stamp, text
from trajectories.reducers.state import State

#: States of an inbox item in which its worker has it before its eyes.
BEFORE_ITS_EYES: Final = frozenset(["shown", "acknowledged"])


class Shown:
    """Per worker the moments at which its highest note known rose; both lists rise."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.rows = state.tables["waste"]
        self.watched = state.index("waste.watched")  # worker -> {ordinal: (note, until)}
        self._at: dict[int | str, list[int]] = {}
        self._upto: dict[int | str, list[int]] = {}

    def tell(self, event: Event, named: int | str, worker: int | None) -> None:
        """A read of the board, or board notes moved in the inbox."""
        if event.kind == "inbox.moved":
            fields = event.fields
            if text(fields, "feed") != "board" or text(fields, "state") not in BEFORE_ITS_EYES:
                return
        upto = count(event.fields, "upto")
        if not upto or not self._rise(named, event.at, upto) or worker is None:
            return
        for ordinal, (note, until) in reversed(self.watched.get(worker, {}).items()):
            if event.at > until:
                break  # the others are older still
            if note <= upto:
                known = self.rows[ordinal]["shown_at"]
                if known is None or stamp(event.at) < str(known):
                    self.state.tally("waste", ordinal, {"shown_at": stamp(event.at)})

    def first(self, names: tuple[int | str, ...], note: int, until: int) -> str | None:
        """When a worker, under any of its names, was first shown a note; None if not by `until`."""
        found = [at for each in names if (at := self._when(each, note)) is not None and at <= until]
        return stamp(min(found)) if found else None

    def _when(self, named: int | str, note: int) -> int | None:
        known = self._upto.get(named)
        place = bisect_left(known, note) if known else 0
        return self._at[named][place] if known and place < len(known) else None

    def _rise(self, named: int | str, at: int, upto: int) -> bool:
        times, known = self._at.setdefault(named, []), self._upto.setdefault(named, [])
        place = bisect_right(times, at)
        if place and known[place - 1] >= upto:
            return False
        end = place
        while end < len(known) and known[end] <= upto:
            end += 1
        if place and times[place - 1] == at:
            place -= 1
        times[place:end], known[place:end] = [at], [upto]
        return True

    def dump(self) -> list[Any]:
        """As JSON."""
        return [[named, self._at[named], self._upto[named]] for named in self._at]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        for named, times, known in data:
            self._at[named], self._upto[named] = list(times), list(known)
