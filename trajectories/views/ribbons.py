"""The review graph as shapes: ends left and right, a ribbon for every pair of ends, as SVG paths. Pure."""

from __future__ import annotations

from typing import Any

WIDTH = 832
LEFT, RIGHT = 120, 660  # where the ends stand
BAR = 5
GAP = 10
TOP = 4
FEW = 14  # ends a side that get more room
ROOM = 15  # pixels an end needs for its name
LEAST, MOST = 140, 900


def ribbons(graph: dict[str, Any], selected: Any = None) -> dict[str, Any] | None:
    """`{"width", "height", "left", "right", "paths", "uneven"}`; the ribbons of the selected reviewer come last, so nothing hides them.

    None if no review has stood.
    """
    total = graph["stood"]
    if not total:
        return None
    rows = max(len(graph["left"]), len(graph["right"]))
    height = min(MOST, max(LEAST, rows * (ROOM + (19 if rows <= FEW else 9))))
    left = _ends(graph["left"], height, LEFT - BAR, total)
    right = _ends(graph["right"], height, RIGHT, total)
    paths = []
    order = {end["key"]: k for k, end in enumerate(graph["right"])}
    for source, target, count in sorted(graph["ribbons"], key=lambda ribbon: (order[ribbon[1]], ribbon[0])):
        a, b = left[source], right[target]
        paths.append(
            {"d": _path(a, b, count), "on": target == selected, "from": source, "to": b["name"], "count": count}
        )
        a["used"] += count * a["scale"]
        b["used"] += count * b["scale"]
    paths.sort(key=lambda path: path["on"])
    return {
        "width": WIDTH,
        "height": round(height + 2 * TOP),
        "left": list(left.values()),
        "right": [{**end, "on": key == selected} for key, end in right.items()],
        "paths": paths,
        "uneven": any(_uneven(ends) for ends in (left, right)),
    }


def _uneven(ends: dict[Any, dict[str, Any]]) -> bool:
    """A review is drawn three times as tall at one end as at another, or more."""
    scales = [end["scale"] for end in ends.values()]
    return max(scales) >= 3 * min(scales)


def _ends(ends: list[dict[str, Any]], height: float, x: int, total: int) -> dict[Any, dict[str, Any]]:
    """Each end as tall as its count, but never less than a name needs."""
    free = height - GAP * (len(ends) - 1) - ROOM * len(ends)
    free = max(free, 0.0)
    room = max((height - GAP * (len(ends) - 1)) / len(ends) - free / len(ends), 1.0) if ends else 0.0
    found, y = {}, float(TOP)
    for end in ends:
        tall = min(room, ROOM) + free * end["stood"] / total
        middle = round(y + tall / 2 + 4, 1)
        place = {
            "x": x,
            "y": round(y, 1),
            "tall": round(tall, 1),
            "middle": middle,
            "used": y,
            "scale": tall / end["stood"],
        }
        found[end["key"]] = {**end, **place}
        y += tall + GAP
    return found


def _path(a: dict[str, Any], b: dict[str, Any], count: int) -> str:
    """From the next free piece of one end to that of the other."""
    y0, y1 = a["used"], a["used"] + count * a["scale"]
    z0, z1 = b["used"], b["used"] + count * b["scale"]
    half = (LEFT + RIGHT) / 2
    down = f"M{LEFT} {y0:.1f}C{half} {y0:.1f} {half} {z0:.1f} {RIGHT} {z0:.1f}"
    return f"{down}L{RIGHT} {z1:.1f}C{half} {z1:.1f} {half} {y1:.1f} {LEFT} {y1:.1f}z"
