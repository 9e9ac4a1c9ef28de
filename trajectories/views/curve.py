"""The pass rate over the run as a drawing that also prints: paths and ticks of an SVG. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajectories.readings.tools import step

WIDTH, HEIGHT = 408, 190
LEFT, RIGHT, TOP, BOTTOM = 48, 384, 8, 168
Points = Sequence[tuple[int, int]]  # (seconds since the start, parts per million)


def curve(scores: Points, base: Points, duration_s: int | None) -> dict[str, Any] | None:
    """`{"team", "area", "base", "dots", "across", "up", ..}` on a scale from 0 to the next quarter above; None without a score."""
    if not scores:
        return None
    end = max([at for at, _ in (*scores, *base)] + [duration_s or 0, 1])
    top = next(
        limit
        for limit in (100_000, 250_000, 500_000, 750_000, 1_000_000)
        if max(r for _, r in (*scores, *base)) <= limit
    )

    def place(at: int, rate: int) -> tuple[float, float]:
        return round(LEFT + (RIGHT - LEFT) * min(at, end) / end, 1), round(BOTTOM - (BOTTOM - TOP) * rate / top, 1)

    def path(points: Points) -> str:
        return "M" + "L".join(f"{x} {y}" for x, y in (place(*point) for point in [(0, 0), *points]))

    size = step(end, 6)
    last = place(*scores[-1])
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": RIGHT,
        "bottom": BOTTOM,
        "team": path(scores),
        "area": f"{path(scores)}L{last[0]} {BOTTOM}L{LEFT} {BOTTOM}z",
        "base": path(base) if base else "",
        "dots": [dict(zip(("x", "y"), place(*point), strict=True)) for point in scores],
        "across": [{"x": place(at, 0)[0], "at": at} for at in range(0, end + 1, size)],
        "up": [
            {"y": place(0, rate)[1], "rate": rate}
            for rate in range(0, top + 1, top // (3 if top == 750_000 else 5 if top < 500_000 else 4))
        ],
    }
