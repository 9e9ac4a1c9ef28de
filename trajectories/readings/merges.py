"""Who merges: the share of each integrator over time, and the fate of pulls by when they were opened."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trajectories.newest import Newest
from trajectories.readings.kept import kept
from trajectories.readings.sentences import many
from trajectories.readings.tools import became, length, name_of, seconds, share, step

SHARE_PIECES = 24
FATE_PIECES = 12
NAMED = 5  # integrators with a line of their own
FATES = ("merged", "closed", "superseded", "conflict", "open", "never landed")


def integrator_share(newest: Newest) -> dict[str, Any]:
    """`{"step_s", "at_s": [..], "merges": [..], "series": [{"name", "worker", "merges": [..]}]}`, whole merges a step.

    The named are those who merged most pulls of others; then who else was an integrator at any time, then other peers who
    merged for others, merges by nobody knows whom; last, own merges.
    """
    pieces, size = _axis(newest, SHARE_PIECES)
    own, unknown, peers = [0] * pieces, [0] * pieces, Counter[tuple[Any, int]]()
    for row in newest.tables["pulls"].values():
        at = seconds(newest, row["merged_at"])
        if row["status"] != "merged" or at is None:
            continue
        place = min(max(int(at // size), 0), pieces - 1)
        if row["merged_by"] is None:
            unknown[place] += 1
        elif row["merged_by"] == row["author"]:
            own[place] += 1
        else:
            peers[row["merged_by"], place] += 1
    totals = Counter[Any]()
    for (who, _), count in peers.items():
        totals[who] += count
    named = [who for who, _ in sorted(totals.items(), key=lambda item: (-item[1], str(item[0])))[:NAMED]]
    series = [
        {"name": name_of(newest, who), "worker": who, "merges": [peers[who, k] for k in range(pieces)]} for who in named
    ]
    integrators = became(newest, "integrator")
    more = [who for who in totals if who not in named and who in integrators]
    others = [who for who in totals if who not in named and who not in integrators]
    for group, word in ((more, "more integrator"), (others, "other peer")):
        if group:
            merges = [sum(peers[who, k] for who in group) for k in range(pieces)]
            series.append({"name": many(len(group), word), "worker": None, "merges": merges})
    if any(unknown):
        series.append({"name": "merger unknown", "worker": None, "merges": unknown})
    series.append({"name": "merged by its author", "worker": None, "merges": own})
    merges = [sum(each["merges"][k] for each in series) for k in range(pieces)]
    return {"step_s": size, "at_s": [k * size for k in range(pieces)], "merges": merges, "series": series}


def fates(newest: Newest) -> dict[str, Any]:
    """`{"step_s", "at_s": [..], "fates": {fate: [..]}, "merged_ppm": [..]}`: pulls by when they were opened."""
    return newest.reading(_fates)


def _gone_over(newest: Newest) -> dict[str, Any]:
    pieces, size = _axis(newest, FATE_PIECES)
    counts = {fate: [0] * pieces for fate in FATES}
    over = newest.reading(is_over)
    for row in newest.tables["pulls"].values():
        at = seconds(newest, row["opened_at"])
        place = min(max(int((at or 0) // size), 0), pieces - 1)
        counts[fate_of(row, over)][place] += 1
    opened = [sum(counts[fate][k] for fate in FATES) for k in range(pieces)]
    return {
        "step_s": size,
        "at_s": [k * size for k in range(pieces)],
        "fates": {fate: listed for fate, listed in counts.items() if any(listed)},
        "merged_ppm": [share(counts["merged"][k], opened[k]) for k in range(pieces)],
    }


_fates = kept("fates", _gone_over)


def fate_of(row: Any, over: bool) -> str:
    """What became of a pull, in one word of FATES."""
    if row["status"] in ("merged", "closed"):
        return "superseded" if row["status"] == "closed" and row["superseded_by"] is not None else str(row["status"])
    if row["conflict"] == "true":  # before the next: live and replay count all open ones in conflict
        return "conflict"
    if row["superseded_by"] is not None:
        return "superseded"
    return "never landed" if over else "open"


def is_over(newest: Newest) -> bool:
    """Every worker is gone: nothing open will land any more."""
    workers = newest.tables["workers"].values()
    return bool(workers) and all(row["status"] in ("ended", "dead") for row in workers)


def _axis(newest: Newest, most: int) -> tuple[int, int]:
    span = length(newest)
    size = step(span, most)
    return max(1, int(-(-span // size))), size
