"""Collects the events of one page, asking the database only in ways that it has an index for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from trajectories import listed
from trajectories.events import Event, order_key
from trajectories.joined.moments import Moment, moment
from trajectories.models import EventRow, Stream
from trajectories.models.reading import COLUMNS, by_number, to_event
from trajectories.models.roster import roster

LONGEST = 600  # lines on one page; the page says how many more there are
AT_ONCE = 400  # references asked for in one query
UNPACKED = 5  # ranks below are single rows, found by kind

Shown = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Story:
    """Lines in canonical order, `more` = how many were left out, `sources` = how many sources speak."""

    moments: list[Moment]
    more: int
    sources: int


class Finding:
    """Events found so far, each once."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.zero, self.known = Stream.of(run_id).t0 or 0, roster(run_id)
        self.found: dict[int, Event] = {}

    def refs(self, refs: Iterable[str]) -> None:
        """By evidence reference `source:id#part`; a reference whose event is gone finds nothing."""
        parts = {_parted(ref) for ref in refs}
        asked: dict[str, set[str]] = {}
        for source, id, _ in parts:
            asked.setdefault(source, set()).add(id)
        for source, ids in asked.items():  # one after the other: of several at once SQLite reads every event of the run
            wanted = sorted(ids)
            for start in range(0, len(wanted), AT_ONCE):
                for n, event in self._rows(Q(source=source, key__in=wanted[start : start + AT_ONCE])):
                    if (event.source, event.id, event.part) in parts:
                        self.found[n] = event

    def kinds(
        self,
        kinds: Iterable[str],
        keep: Callable[[Shown], bool],
        since: int | None = None,
        until: int | None = None,
        also: Q | None = None,
    ) -> None:
        """Events of these kinds between two times in ms (both included); `also` narrows them in the database, `keep` here."""
        which = Q(kind__in=list(kinds), rank__lt=UNPACKED)
        if since is not None:
            which &= Q(at__gte=since)
        if until is not None:
            which &= Q(at__lte=until)
        for n, event in self._rows(which & also if also is not None else which):
            if keep(self.shown(n, event)):
                self.found[n] = event

    def rows(self, which: Q) -> None:
        """Whatever fits; for questions that name an index themselves."""
        self.found.update(self._rows(which))

    def number(self, n: int) -> None:
        """One event by its arrival number, also a packed one."""
        if (event := by_number(self.run_id, n)) is not None:
            self.found[n] = event

    def shown(self, n: int, event: Event) -> Shown:
        """The event as the API tells it."""
        return listed.shown(n, event, self.known)

    def story(self) -> Story:
        """The lines, in canonical order."""
        pairs = sorted(self.found.items(), key=lambda pair: order_key(pair[1]))
        lines = [moment(self.shown(n, event), (event.at - self.zero) / 1000) for n, event in pairs[:LONGEST]]
        return Story(lines, len(pairs) - len(lines), len({line.source for line in lines}))

    def _rows(self, which: Q) -> list[tuple[int, Event]]:
        rows = EventRow.objects.filter(which, run_id=self.run_id).values_list(*COLUMNS)
        return [(row[-1], to_event(row)) for row in rows]


def _parted(ref: str) -> tuple[str, str, int]:
    source, _, rest = ref.partition(":")
    id, _, part = rest.partition("#")
    return source, id, int(part) if part.isdigit() else 0
