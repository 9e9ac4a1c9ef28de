"""What of the events is drawn on the timeline: spans (steps, turns) and marks, each with its worker and event number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trajectories.derive.agtl import Row
from trajectories.events import TALLIES, Event, millis
from trajectories.models.roster import identities

KINDS = ("step", "turn", "claim", "note", "message", "pull", "review", "merge", "failure", "recovery")
FAILED, LATE, EVIDENCE = 1, 2, 4
_INDEX = {name: k for k, name in enumerate(KINDS)}
_MARKS = {
    "note.posted": "note",
    "message.posted": "message",
    "pull.opened": "pull",
    "pull.pushed": "pull",
    "pull.edited": "pull",
    "pull.closed": "pull",
    "pull.reopened": "pull",
    "pull.merged": "merge",
    "review.submitted": "review",
}
_FAILURES = {"service.exited", "service.unhealthy", "node.lost"}
_LOST = {"failed", "expired", "abandoned", "recovered"}
LATE_MS = 5_000


class Marks:
    """Turns events into timeline rows, in any order of arrival."""

    def __init__(self) -> None:
        self.roster: dict[str, int] = {}
        self.steps: dict[str, tuple[int, int, int]] = {}  # step under way -> (at, worker, n)
        self.turns: dict[str, tuple[int, int, int]] = {}
        self.notes: dict[str, int] = {}  # note id -> n of its event
        self.claims: set[str] = set()  # drawn already
        self.newest_at = 0  # nothing is late but what comes after this
        self.ended_at = 0  # of steps that were told whole, some ahead of their time

    def of_events(self, pairs: Iterable[tuple[int, Event]]) -> list[Row]:
        """The same for many. Nearly all of a run are steps, and nothing else that is only summed is drawn."""
        rows: list[Row] = []
        steps, newest = self.steps, self.newest_at
        for n, event in pairs:
            at, kind, worker = event[0], event[5], event[6]
            if kind == "step.started":
                steps.setdefault(str(event[9].get("step")), (at, worker or self._worker(event), n))
            elif kind == "step.finished":
                fields = event[9]
                began, lane, first = steps.pop(str(fields.get("step")), (at, worker or self._worker(event), n))
                flags = FAILED if fields.get("status") == "failed" or fields.get("error") else 0
                if at < newest - LATE_MS:
                    flags |= LATE
                rows.append((began, at - began if at > began else 0, lane if 0 < lane < 65_536 else 0, 0, first, flags))
            elif kind not in TALLIES:
                self.newest_at = newest
                rows += self.of_event(n, event)
            if at > newest:
                newest = at
        self.newest_at = newest
        return rows

    def of_event(self, n: int, event: Event) -> list[Row]:
        """The rows this event completes; it is no step."""
        late = LATE if event.at < self.newest_at - LATE_MS else 0
        self.newest_at = max(self.newest_at, event.at)
        kind, worker = event.kind, self._worker(event)
        if kind == "worker.enrolled":
            self._enrol(event)
        elif kind == "turn.started":
            self.turns.setdefault(self._turn(event), (event.at, worker, n))
        elif kind == "turn.finished":
            return [self._finished(n, event, worker, late)]
        elif kind in _MARKS:
            if kind == "note.posted":
                self.notes[_id(event.fields.get("note"))] = n
                if event.fields.get("type") == "FAIL":
                    return [_row(event.at, 0, worker, "failure", n, FAILED | late)]
            return [_row(event.at, 0, worker, _MARKS[kind], n, late)]
        elif kind in _FAILURES or (kind == "worker.exited" and event.fields.get("expected") is False):
            return [_row(event.at, 0, worker, "failure", n, FAILED | late)]
        return []

    def of_claim(self, key: Any, row: Mapping[str, Any], end: int | None = None) -> list[Row]:
        """The span of a claim that has closed, or that is cut at `end`; each claim once."""
        closed = _ms(row.get("held_until")) or end
        opened = _ms(row.get("opened_at"))
        if str(key) in self.claims or closed is None or opened is None:
            return []
        self.claims.add(str(key))
        flags = EVIDENCE | (FAILED if row.get("status") in _LOST else 0)
        return [_row(opened, closed - opened, row.get("worker"), "claim", self.notes.get(_id(key), 0), flags)]

    def of_recovery(self, row: Mapping[str, Any]) -> list[Row]:
        """The span from take-over to landing."""
        taken = _ms(row.get("taken_over_at"))
        if taken is None:
            return []
        landed = _ms(row.get("landed_at")) or taken
        n = self.notes.get(_id(row.get("to_claim")), 0)
        return [_row(taken, landed - taken, row.get("to_worker"), "recovery", n, EVIDENCE)]

    def unfinished(self, end: int) -> list[Row]:
        """Spans whose end never came, up to `end`."""
        rows = [
            _row(at, end - at, worker, kind, n, 0)
            for kind, spans in (("step", self.steps), ("turn", self.turns))
            for at, worker, n in spans.values()
        ]
        self.steps.clear()
        self.turns.clear()
        return rows

    def _finished(self, n: int, event: Event, worker: int, late: int) -> Row:
        at, worker, n = self.turns.pop(self._turn(event), (event.at, worker, n))
        failed = event.fields.get("status") == "failed" or bool(event.fields.get("error"))
        return _row(at, event.at - at, worker, "turn", n, (FAILED if failed else 0) | late)

    def _turn(self, event: Event) -> str:
        return f"turn {event.id.rpartition('-')[0]} {event.fields.get('turn')}"

    def _worker(self, event: Event) -> int:
        return event.worker or self.roster.get(event.actor or "", 0)

    def _enrol(self, event: Event) -> None:
        if event.worker is not None:
            self.roster.update(dict.fromkeys(identities(dict(event.fields)), event.worker))


def _row(at: int, duration: int, worker: Any, kind: str, n: int, flags: int) -> Row:
    lane = worker if type(worker) is int and 0 < worker < 65_536 else 0
    return (at, max(duration, 0), lane, _INDEX[kind], n, flags)


def _ms(value: Any) -> int | None:
    return millis(value) if isinstance(value, str) else None


def _id(note: Any) -> str:
    """A note's id, written `12` or `n12`."""
    return str(note).removeprefix("n")
