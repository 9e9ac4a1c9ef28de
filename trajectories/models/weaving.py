"""A run's events as settling takes them: whole steps a pack at once, all else in canonical order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any, NamedTuple

from django.db.models import QuerySet

from trajectories.events import Event
from trajectories.models import packed
from trajectories.models.event import EventRow
from trajectories.models.glances import Whole
from trajectories.models.pack import Pack
from trajectories.models.packed import Numbered, at_a_glance, packed_events
from trajectories.models.reading import in_order

_SORTED = 5_000
#: time, item, id, part and number of an event of a pack, then itself
_Due = tuple[int, int, str, int, int, Event]


class Glance(NamedTuple):
    """The whole steps of a pack, and where its events are read should somebody need them one by one."""

    whole: Whole
    row: tuple[Any, ...]

    def events(self) -> list[Numbered]:
        """The starts and ends of these steps."""
        steps = set(self.whole.steps)
        return [pair for pair in packed_events(self.row) if pair[1].fields.get("step") in steps]


class Piece(NamedTuple):
    """What is to be taken next, in this order: packs whose first event is due, events of packs up to `last`, the event `last`.

    So a glance may tell of steps that end after `last`, never of any that began before the last of an earlier piece. `last` is None at the end.
    """

    glances: list[Glance]
    events: list[Numbered]
    last: Numbered | None


def settled(run_id: int, n: int) -> Iterator[Piece]:
    """Of all events up to number `n`. Steps of the millisecond of another event come before it."""
    rows, packs = EventRow.objects.filter(run_id=run_id, n__lte=n), Pack.objects.filter(run_id=run_id, n__lte=n)
    yield from _woven([(rows, packs)])


def growing(run_id: int, moments: Iterable[int], using: str | None = None) -> Iterator[Piece]:
    """The same of a run that is being stored: each moment says up to which time all is there, and the last that nothing comes after it.

    Between moments nothing is being read. `using` = the connection.
    """
    rows = EventRow.objects.using(using).filter(run_id=run_id)
    packs = Pack.objects.using(using).filter(run_id=run_id)
    yield from _woven(
        (rows.filter(at__gt=after, at__lte=upto), packs.filter(at__gt=after, at__lte=upto))
        for after, upto in pairwise(chain((-1,), moments))
    )


def _woven(parts: Iterable[tuple[QuerySet[EventRow], QuerySet[Pack]]]) -> Iterator[Piece]:
    due: list[_Due] = []
    glances: list[Glance] = []
    for rows, packs in parts:
        found = packs.order_by("at", "n").values_list("at", *packed.COLUMNS).iterator(100)
        row = next(found, None)
        for last in in_order(rows):
            upto = last[1].at
            while row is not None and row[0] <= upto:
                _open(row[1:], glances, due)
                row = next(found, None)
            events: list[Numbered] = []
            while due and due[0][0] <= upto:
                each = heappop(due)
                events.append((each[4], each[5]))
            yield Piece(glances, events, last)
            glances = []
        while row is not None:
            _open(row[1:], glances, due)
            row = next(found, None)
    # In pieces whose size is of no part's making: where keyframes lie must not depend on who read along.
    left = [(each[4], each[5]) for each in sorted(due)]
    for start in range(0, max(len(left), 1), _SORTED):
        yield Piece(glances if start == 0 else [], left[start : start + _SORTED], None)


def _open(row: tuple[Any, ...], glances: list[Glance], due: list[_Due]) -> None:
    whole, others = at_a_glance(row)
    if whole.steps:
        glances.append(Glance(whole, row))
    for n, event in others:
        heappush(due, (event[0], event[2], event[3], event[4], n, event))
