"""A pass rate as a small line in a row: points of an SVG path, computed on the server. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, PAD = 108, 30, 2


@dataclass(frozen=True, slots=True)
class Spark:
    """Paths in a box of 108 x 30; `base` is the dashed line of one agent, empty without one."""

    team: str
    area: str
    base: str
    x: float
    y: float


def spark(scores: Sequence[tuple[int, int]], base: Sequence[tuple[int, int]], duration_s: int | None) -> Spark | None:
    """The line of (seconds, parts per million) from 0 at the start; None without a score. The scale is the higher of both."""
    if not scores:
        return None
    end = max([at for at, _ in (*scores, *base)] + [duration_s or 0, 1])
    top = max([rate for _, rate in (*scores, *base)] + [1])
    points = _points(scores, end, top)
    x, y = points[-1]
    team = _path(points)
    return Spark(team, f"{team}L{x} {HEIGHT}L0 {HEIGHT}z", _path(_points(base, end, top)) if base else "", x, y)


def _points(scores: Sequence[tuple[int, int]], end: int, top: int) -> list[tuple[float, float]]:
    room = HEIGHT - 2 * PAD
    rows = scores if scores[0][0] <= 0 else [(0, 0), *scores]
    return [(round(min(at, end) * WIDTH / end, 1), round(HEIGHT - PAD - rate * room / top, 1)) for at, rate in rows]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)
