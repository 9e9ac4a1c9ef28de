"""Events paired into spans as they pass, in order of time: turns, steps, model requests; and marks. Open ones are all that is held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from runs.models import Run
from trajectories.events import Event
from trajectories.export.filters import Filters
from trajectories.listed import wanted_kinds
from trajectories.models import Stream
from trajectories.models.reading import everything
from trajectories.models.roster import roster

MARKS = {
    "note.posted": "note",
    "message.posted": "message",
    "pull.opened": "pull",
    "pull.merged": "merge",
    "pull.closed": "pull closed",
    "review.submitted": "review",
    "worker.joined": "joined",
    "worker.exited": "exited",
    "worker.silent": "silent",
    "nudge.sent": "nudge",
    "reminder.sent": "reminder",
    "session.opened": "session",
}
SAID = (
    *("tool", "kind", "title", "trigger", "turn", "stop_reason", "error", "status", "exit_code", "purpose", "model"),
    *("type", "text", "number", "verdict"),
    *("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost_microusd"),
)
LONGEST = 300


@dataclass(slots=True)
class Span:
    """Something with a beginning and an end, in ms. `what`: turn, step, request. `turn` = the turn it belongs to, as its reference.

    `crosses`: a turn of its worker began or ended in the middle of it.
    """

    what: str
    name: str
    worker: int
    begin: int
    end: int
    ref: str
    failed: bool
    fields: dict[str, Any]
    turn: str | None = None
    unfinished: bool = False
    crosses: bool = False


@dataclass(slots=True)
class Mark:
    """Something at a moment; worker None = nobody's, or the run's."""

    name: str
    worker: int | None
    at: int
    ref: str
    fields: dict[str, Any]
    turn: str | None = None


@dataclass
class Pairing:
    """Give it events in order of time; it gives spans as they end, and marks."""

    known: dict[str, int]
    turns: dict[int, tuple[Event, str]] = field(default_factory=dict)  # worker -> its open turn
    steps: dict[tuple[int, str], tuple[Event, str | None]] = field(default_factory=dict)
    #: worker -> when its newest ended turn began and ended
    ended: dict[int, tuple[int, int]] = field(default_factory=dict)

    def take(self, event: Event) -> Iterator[Span | Mark]:
        """What this event ends or marks."""
        worker = self.known.get(event.actor or "") if event.worker is None else event.worker
        match event.kind:
            case "turn.started" if worker is not None:
                yield from self._end_turn(worker, event.at, {}, cut=True)
                self.turns[worker] = (event, event.ref)
            case "turn.finished" if worker is not None:
                yield from self._end_turn(worker, event.at, said(event))
            case "step.started" if worker is not None:
                self.steps[worker, str(event.fields.get("step"))] = (event, self._turn(worker))
            case "step.finished" if worker is not None:
                begun = self.steps.pop((worker, str(event.fields.get("step"))), None)
                if begun is not None:
                    yield self._step(*begun, worker, event.at, said(event))
            case "request.metered" if worker is not None:
                yield self._request(event, worker)
            case kind if kind in MARKS:
                yield Mark(MARKS[kind], worker, event.at, event.ref, said(event), self._turn(worker))

    def finish(self, at: int) -> Iterator[Span]:
        """What never ended, up to the last moment seen."""
        for (worker, _), (event, turn) in self.steps.items():
            yield self._step(event, turn, worker, at, {}, unfinished=True)
        for worker in list(self.turns):
            yield from self._end_turn(worker, at, {}, cut=True)

    def _turn(self, worker: int | None) -> str | None:
        open_turn = self.turns.get(worker) if worker is not None else None
        return open_turn[1] if open_turn else None

    def _end_turn(self, worker: int, at: int, told: dict[str, Any], cut: bool = False) -> Iterator[Span]:
        begun = self.turns.pop(worker, None)
        if begun is not None:
            event, ref = begun
            self.ended[worker] = (event.at, max(at, event.at))
            fields = {**said(event), **told}
            name = f"turn {event.fields.get('turn', '')}".strip()
            yield Span(
                "turn", name, worker, event.at, max(at, event.at), ref, bool(fields.get("error")), fields, None, cut
            )

    def _step(
        self, begun: Event, turn: str | None, worker: int, at: int, told: dict[str, Any], unfinished: bool = False
    ) -> Span:
        fields = {**said(begun), **told}
        name = str(fields.get("tool") or fields.get("title") or fields.get("kind") or "step")[:80]
        failed = fields.get("status") in ("failed", "cancelled")
        end = max(at, begun.at)
        crosses = self._crosses(worker, begun.at, end)
        return Span("step", name, worker, begun.at, end, begun.ref, failed, fields, turn, unfinished, crosses)

    def _crosses(self, worker: int, begin: int, end: int) -> bool:
        """Whether a turn may cross what ends now: one began in the middle of it, or the newest that ended did so there."""
        opened, (began, over) = self.turns.get(worker), self.ended.get(worker, (begin, begin))
        return (opened is not None and opened[0].at > begin) or began > begin or begin < over < end

    def _request(self, event: Event, worker: int) -> Span:
        fields = said(event)
        took, status = event.fields.get("took_ms"), event.fields.get("status")
        begin = event.at - (took if isinstance(took, int) else 0)
        failed = not (isinstance(status, int) and 200 <= status < 300)
        name = f"{fields.get('purpose') or 'work'} {fields.get('model') or ''}".strip()
        return Span("request", name, worker, begin, event.at, event.ref, failed, fields, self._turn(worker))


def said(event: Event) -> dict[str, Any]:
    """The fields worth showing, texts cut."""
    found = {name: event.fields[name] for name in SAID if event.fields.get(name) is not None}
    return {name: value[:LONGEST] if isinstance(value, str) else value for name, value in found.items()}


def spans(run: Run, filters: Filters) -> Iterator[Span | Mark]:
    """Every span and mark of a run that passes, as it ends. A span passes if any of it lies in the time asked for."""
    stream = Stream.of(run.pk)
    low, high = filters.span(stream.t0)
    wanted, last = wanted_kinds(filters.kind), 0
    pairing = Pairing(roster(run.pk))

    def passes(each: Span | Mark) -> bool:
        begin, end = (each.begin, each.end) if isinstance(each, Span) else (each.at, each.at)
        return begin <= high and end >= low and filters.worker in (None, each.worker)

    for _, event in everything(run.pk, stream.n):
        last = max(last, event.at)
        if event.kind in wanted:
            yield from filter(passes, pairing.take(event))
    yield from filter(passes, pairing.finish(last))
