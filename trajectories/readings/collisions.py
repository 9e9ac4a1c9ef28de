"""Where workers got in each other's way: overlapping claims and conflicting pulls, by time and by path; and waste by kind."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.tools import between, evidence, length, median, name_of, seconds, step

PIECES = 12
PLACES = 10
LISTED = 200
WORDS = {
    "knowing": "repeated after the FAIL was shown to that worker",
    "unknowing": "repeated before the FAIL was shown to that worker",
    "duplicate_claim": "claimed twice and worked on",
    "never_landed": "pulls that never landed",
    "conflict": "pulls that came to conflict with their base",
}


def overlaps(newest: Newest, most: int | None = LISTED) -> dict[str, Any]:
    """`{"count", "settled", "by_message", "open", "median_s", "pairs": [..]}`: two live claims of two workers on one subject.

    Settled = one gave way; by message = after direct messages between the two; `pairs` has the unsettled first, at most
    `most` of them (None: all).
    """
    rows = list(newest.tables["overlaps"].values())
    settled = [row for row in rows if row["status"] == "settled"]
    rows.sort(key=lambda row: (row["status"] == "settled", row["began_at"] or ""))
    return {
        "count": len(rows),
        "settled": len(settled),
        "by_message": sum(1 for row in settled if row["settled_how"] == "talk"),
        "open": sum(1 for row in rows if row["status"] == "open"),
        "median_s": median(between(row["began_at"], row["settled_at"]) for row in settled),
        "pairs": [_pair(newest, row) for row in rows[:most]],
    }


def collisions(newest: Newest) -> dict[str, Any]:
    """`{"step_s", "at_s", "overlaps": [..], "conflicts": [..], "places": [{"place", "overlaps", "conflicts"}], "places_count"}`.

    Counts in each step of time, and the paths (or subjects, where no path is named) with most of both.
    """
    clashes = [row for row in newest.tables["waste"].values() if row["kind"] == "conflict"]
    span = length(newest)
    size = step(span, PIECES)
    pieces = max(1, int(-(-span // size)))
    series: dict[str, list[int]] = {"overlaps": [0] * pieces, "conflicts": [0] * pieces}
    places: dict[str, Counter[str]] = {"overlaps": Counter(), "conflicts": Counter()}
    for name, rows, column in (
        ("overlaps", newest.tables["overlaps"].values(), "began_at"),
        ("conflicts", clashes, "at"),
    ):
        for row in rows:
            at = seconds(newest, row[column]) or 0.0
            series[name][min(max(int(at // size), 0), pieces - 1)] += 1
            places[name][_place(newest, row)] += 1
    both = places["overlaps"] + places["conflicts"]
    most = sorted(both.items(), key=lambda item: (-item[1], item[0]))[:PLACES]
    listed = [{"place": place, **{name: found[place] for name, found in places.items()}} for place, _ in most]
    return {
        "step_s": size,
        "at_s": [k * size for k in range(pieces)],
        **series,
        "places": listed,
        "places_count": len(both),
    }


def waste(newest: Newest, most: int | None = LISTED) -> dict[str, Any]:
    """`{"count", "minutes", "kinds": [{"kind", "words", "count", "minutes", "workers"}], "rows": [..]}`, costliest first.

    Minutes are from the beginning of what came to nothing to its end; a worker may hold several at once. At most `most` rows; None: all.
    """
    rows = sorted(newest.tables["waste"].values(), key=lambda row: (-(row["minutes"] or 0), row["ordinal"]))
    kinds: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = kind_of(row)
        blank = {
            "kind": name,
            "words": WORDS.get(name, name.replace("_", " ")),
            "count": 0,
            "minutes": 0,
            "workers": set(),
        }
        kind = kinds.setdefault(name, blank)
        kind["count"] += 1
        kind["minutes"] += row["minutes"] or 0
        kind["workers"].add(row["worker"])
    told = [{**kind, "workers": len(kind["workers"])} for kind in kinds.values()]
    return {
        "count": len(rows),
        "minutes": sum(kind["minutes"] for kind in told),
        "kinds": sorted(told, key=lambda kind: (-kind["minutes"], -kind["count"])),
        "rows": [_wasted(newest, row) for row in rows[:most]],
    }


def kind_of(row: Row) -> str:
    """The kind of a waste; a repeated failure by whether the worker knew."""
    if row["kind"] != "repeated_fail":
        return str(row["kind"])
    known = row["shown_at"] is not None and (row["began_at"] is None or row["shown_at"] <= row["began_at"])
    return "knowing" if known else "unknowing"


def subject_of(key: str) -> str:
    """A subject key as people read it: without its kind."""
    return key[2:] if key[1:2] == ":" else key


def _place(newest: Newest, row: Row) -> str:
    if row["path"]:
        return str(row["path"])
    claim = newest.tables["claims"].get(row["claim"])
    return subject_of(str(claim["subject"])) if claim else "unknown"


def _pair(newest: Newest, row: Row) -> dict[str, Any]:
    claims = newest.tables["claims"]
    return {
        "claims": [row["claim"], row["other"]],
        "workers": [row["worker"], row["peer"]],
        "names": [name_of(newest, row["worker"]), name_of(newest, row["peer"])],
        "text": claims[row["other"]]["text"] if row["other"] in claims else None,
        "place": _place(newest, row),
        "at_s": seconds(newest, row["began_at"]),
        "status": row["status"],
        "outcome": row["outcome"],
        "gave_way": row["loser"],
        "messages": row["messages"],
        "took_s": between(row["began_at"], row["settled_at"]),
        **evidence("overlaps", row),
    }


def _wasted(newest: Newest, row: Row) -> dict[str, Any]:
    kind = kind_of(row)
    told = {name: row[name] for name in ("worker", "minutes", "claim", "pull", "path", "note")}
    words = WORDS.get(kind, kind.replace("_", " "))
    at = {"at_s": seconds(newest, row["at"]), "shown_at_s": seconds(newest, row["shown_at"])}
    return {
        "kind": kind,
        "words": words,
        **told,
        **at,
        "name": name_of(newest, row["worker"]),
        **evidence("waste", row),
    }
