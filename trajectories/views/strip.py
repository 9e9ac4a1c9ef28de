"""The strip above a joined page: a lane for each worker that had a part, claims as bars, events as glyphs. Pure but for names."""

from __future__ import annotations

from typing import Any

from trajectories.joined import Moment
from trajectories.newest import Newest, Row
from trajectories.readings.tools import length, name_of, seconds, step
from trajectories.words import marks

WIDTH, LEFT, RIGHT = 1160, 76, 1140
LANE, TOP = 24, 24
LANES = 9
CLOSE = 9  # glyphs of one lane nearer than this many pixels are drawn once
DRAWN = {
    "note.posted": 1,
    "message.posted": 1,
    "pull.opened": 2,
    "review.submitted": 3,
    "pull.merged": 4,
    "pull.closed": 2,
    "worker.exited": 4,
    "worker.silent": 3,
    "checkpoint.scored": 4,
}


def strip(newest: Newest, spans: list[Row], moments: list[Moment]) -> dict[str, Any] | None:
    """`{"width", "height", "ticks", "lanes", "more"}`; None without anything to draw. Of marks that would hide each other the weightier stays."""
    shown = [line for line in moments if line.kind in DRAWN and not (line.kind == "note.posted" and line.tone == "ink")]
    workers = list(dict.fromkeys([row["worker"] for row in spans] + [line.who for line in shown if line.who]))
    bars = [_bar(newest, row) for row in spans]
    times = [line.t for line in shown] + [time for bar in bars for time in (bar["from_s"], bar["to_s"])]
    if not workers or not times:
        return None
    since, until = min(times), max(times)
    room = max(until - since, 1.0) * 0.04
    since, until = since - room, until + room

    def x(at: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (at - since) / (until - since), 1)

    lanes = []
    for k, worker in enumerate(workers[:LANES]):
        y = TOP + k * LANE
        mine = [
            {**bar, "x": x(bar["from_s"]), "w": max(round(x(bar["to_s"]) - x(bar["from_s"]), 1), 3)}
            for bar in bars
            if bar["worker"] == worker
        ]
        lanes.append(
            {
                "y": y,
                "middle": y + 12,
                "text": y + 16,
                "name": name_of(newest, worker),
                "worker": worker,
                "bars": mine,
                "marks": _marks(shown, worker, x),
            }
        )
    scores = [{"x": x(line.t) - 6, "line": line} for line in shown if line.kind == "checkpoint.scored"]
    height = TOP + len(lanes) * LANE + 6
    return {
        "width": WIDTH,
        "height": height,
        "ticks": _ticks(since, until, x),
        "lanes": lanes,
        "scores": scores,
        "more": max(0, len(workers) - LANES),
        "bottom": height - 4,
    }


def _bar(newest: Newest, row: Row) -> dict[str, Any]:
    opened, until = seconds(newest, row["opened_at"]) or 0.0, seconds(newest, row["held_until"])
    _, tone = marks(row["status"])
    end = length(newest) if until is None else until
    return {
        "worker": row["worker"],
        "claim": row["claim"],
        "text": row["text"],
        "status": row["status"],
        "tone": tone,
        "from_s": opened,
        "to_s": max(end, opened),
    }


def _marks(shown: list[Moment], worker: int, x: Any) -> list[dict[str, Any]]:
    mine = [line for line in shown if line.who == worker and line.kind != "checkpoint.scored"]
    mine.sort(key=lambda line: -DRAWN[line.kind] - 3 * (line.tone in ("bad", "odd")))
    drawn: list[dict[str, Any]] = []
    for line in mine:
        at = x(line.t)
        if all(abs(at - other["at"]) >= CLOSE for other in drawn):
            drawn.append({"at": at, "x": round(at - 6, 1), "line": line})
    return sorted(drawn, key=lambda mark: mark["at"])


def _ticks(since: float, until: float, x: Any) -> list[dict[str, Any]]:
    size = step(until - since, 8)
    first = int(-(-max(since, 0) // size)) * size
    found, at = [], first
    while at <= until:
        found.append({"x": x(at), "at": at})
        at += size
    return found
