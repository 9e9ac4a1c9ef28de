"""The turns of a worker with their figures and running totals: what a transcript's page scrolls by."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from trajectories.events import Event
from trajectories.models import Stream
from trajectories.reducers.fields import whole
from trajectories.transcripts.heard import heard

USAGE = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost_microusd")
Figures = dict[str, int | None]


@dataclass(slots=True)
class Turn:
    """One turn, or what came in a life before its first (turn 0). `first`..`last` are its items."""

    life: int
    turn: int
    first: int
    last: int
    at: int
    ended_at: int | None = None
    trigger: str = ""
    stop_reason: str | None = None
    error: str | None = None
    steps: int = 0
    failed: list[int] = field(default_factory=list)  # first items of the steps that failed
    chars: int = 0
    moves: int = 0
    plans: int = 0
    permissions: int = 0
    harness: str = ""
    reported: Figures = field(default_factory=dict)
    metered: Figures = field(default_factory=dict)


def outline(run_id: int, worker: int) -> dict[str, Any]:
    """`{"n", "t0", "metered", "turns": [..], "total": {..}}`; tokens from the gateway once it counted one request, else as reported.

    Each turn has `usage` of its own and `sum` = the running total after it; None = nobody said.
    """
    stream = Stream.of(run_id)
    zero = stream.t0 or 0
    turns = fold(heard(run_id, worker))
    metered = any(turn.metered for turn in turns)
    total: Figures = dict.fromkeys(USAGE)
    rows = []
    for turn in turns:
        usage = turn.metered if metered else turn.reported
        total = _sum(total, usage)
        rows.append({**_row(turn, zero), "usage": _sum(dict.fromkeys(USAGE), usage), "sum": dict(total)})
    return {"n": stream.n, "t0": stream.t0, "metered": metered, "turns": rows, "total": total}


def place(run_id: int, worker: int, t: float) -> tuple[int, int] | None:
    """(life, item) of the newest item at `t` seconds; the first one where nothing had been said; None for a silent worker."""
    until = (Stream.of(run_id).t0 or 0) + round(t * 1000)
    found = None
    for event in heard(run_id, worker):
        if event.source == "acp":
            if event.at > until and found is not None:
                break
            found = (_life(event), event.seq)
    return found


def fold(events: Iterable[Event]) -> list[Turn]:
    """Turns in the order of their lives and items."""
    turns: dict[int, Turn] = {}  # life -> its present turn
    done: list[Turn] = []
    starts: dict[str, int] = {}
    sessions: dict[tuple[int, str], Figures] = {}
    newest: Turn | None = None
    for event in events:
        if event.kind == "request.metered":
            if newest is not None:
                newest.metered = _sum(newest.metered, event.fields)
            continue
        life = _life(event)
        turn = turns.get(life)
        if turn is None or event.kind == "turn.started":
            number = whole(event.fields.get("turn")) if event.kind == "turn.started" else 0
            turn = Turn(life, number or 0, event.seq if life in turns else 1, event.seq, event.at)
            turns[life] = turn
            done.append(turn)
        newest = turn
        turn.last = max(turn.last, event.seq)
        _count(turn, event, starts, sessions)
    done.sort(key=lambda turn: (turn.life, turn.first))
    return _joined(done)


def _joined(turns: list[Turn]) -> list[Turn]:
    """What came before a life's first turn is no turn where nothing did; a turn reaches to the item before the next."""
    for turn, after in itertools.pairwise(turns):
        if after.life == turn.life:
            turn.last = after.first - 1
    return [turn for turn in turns if turn.last >= turn.first]


def _count(turn: Turn, event: Event, starts: dict[str, int], sessions: dict[tuple[int, str], Figures]) -> None:
    fields = event.fields
    match event.kind:
        case "turn.started":
            turn.trigger = str(fields.get("trigger") or "")[:40]
        case "turn.finished":
            turn.ended_at = event.at
            turn.stop_reason = str(fields["stop_reason"])[:60] if fields.get("stop_reason") else None
            turn.error = str(fields["error"])[:500] if fields.get("error") else None
        case "session.opened":
            turn.harness = str(fields.get("harness") or "")[:80]
        case "step.started":
            turn.steps += 1
            starts[str(fields.get("step"))] = event.seq
        case "step.finished":
            if fields.get("status") in ("failed", "cancelled") or fields.get("exit_code") not in (None, 0):
                turn.failed.append(starts.get(str(fields.get("step")), event.seq))
        case "text.written":
            turn.chars += whole(fields.get("chars")) or 0
        case "inbox.moved":
            turn.moves += 1
        case "plan.changed":
            turn.plans += 1
        case "permission.asked":
            turn.permissions += 1
        case "usage.reported":
            _reported(turn, fields, sessions)


def _reported(turn: Turn, fields: Any, sessions: dict[tuple[int, str], Figures]) -> None:
    """A session's own totals count by how much they grew since they were last said."""
    said: Figures = {name: whole(fields.get(name)) for name in USAGE}
    if fields.get("scope") == "prompt":
        turn.reported = _sum(turn.reported, said)
        return
    name = (turn.life, str(fields.get("session")))
    before = sessions.get(name, {})
    grown = {k: max(0, v - (before.get(k) or 0)) if v is not None else None for k, v in said.items()}
    sessions[name] = {k: v if v is not None else before.get(k) for k, v in said.items()}
    turn.reported = _sum(turn.reported, grown)


def _sum(a: Any, b: Any) -> Figures:
    both = ((name, a.get(name), whole(b.get(name))) for name in USAGE)
    return {name: y if x is None else x if y is None else x + y for name, x, y in both}


def _row(turn: Turn, zero: int) -> dict[str, Any]:
    names = ("life", "turn", "first", "last", "trigger", "stop_reason", "error", "steps", "failed", "chars", "moves")
    row = {name: getattr(turn, name) for name in (*names, "plans", "permissions", "harness")}
    ended = None if turn.ended_at is None else (turn.ended_at - zero) / 1000
    return {**row, "t": (turn.at - zero) / 1000, "ended_t": ended}


def _life(event: Event) -> int:
    part = event.id.split("-")[1:2]
    return int(part[0]) if part and part[0].isdigit() and len(part[0]) < 10 else 1
