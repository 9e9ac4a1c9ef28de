"""What of the events is drawn on the timeline: spans (steps, turns) and marks, each with its worker and event number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.derive.agtl import Row
from trajectories.events import Event, millis
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
        self.open: dict[str, tuple[int, int, int]] = {}  # span -> (at, worker, n)
        self.notes: dict[str, int] = {}  # note id -> n of its event
        self.claims: set[str] = set()  # drawn already
        self.newest_at = 0

    def of_event(self, n: int, event: Event) -> list[Row]:
        """The rows this event completes."""
        late = LATE if event.at < self.newest_at - LATE_MS else 0
        self.newest_at = max(self.newest_at, event.at)
        kind, worker = event.kind, self._worker(event)
        if kind == "worker.enrolled":
            self._enrol(event)
        elif kind in {"step.started", "turn.started"}:
            self.open.setdefault(self._span(event), (event.at, worker, n))
        elif kind in {"step.finished", "turn.finished"}:
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
        closed = _ms(row.get("closed_at")) or end
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
            _row(at, end - at, worker, "step" if span.startswith("step") else "turn", n, 0)
            for span, (at, worker, n) in self.open.items()
        ]
        self.open.clear()
        return rows

    def _finished(self, n: int, event: Event, worker: int, late: int) -> Row:
        at, worker, n = self.open.pop(self._span(event), (event.at, worker, n))
        failed = event.fields.get("status") == "failed" or bool(event.fields.get("error"))
        return _row(at, event.at - at, worker, event.kind[:4], n, (FAILED if failed else 0) | late)

    def _span(self, event: Event) -> str:
        if event.kind.startswith("step"):
            return f"step {event.fields.get('step')}"
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
