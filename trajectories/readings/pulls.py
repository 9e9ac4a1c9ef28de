"""The pulls ledger: what became of every pull, how old it got, who merged it, and the reviews on the way."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.merges import FATES, fate_of, is_over
from trajectories.readings.tools import between, evidence, length, median, name_of, seconds

FILTERS = (*FATES, "withdrawn", "unreviewed", "by its author", "came to conflict")
SORTS = {"opened": "opened", "newest": "newest first", "oldest": "oldest when closed", "reviews": "most reviews"}


def pulls(
    newest: Newest, *, fate: str = "", worker: int | None = None, words: str = "", sort: str = "opened"
) -> dict[str, Any]:
    """`{"count", "fates", "median_age_s", "lines": [Row]}`; lines are rows of the State, to be told by `pull_line`."""
    over, reviews = newest.reading(is_over), newest.reading(reviews_of)
    asked = [row for row in newest.tables["pulls"].values() if _fits(row, worker, words)]
    counts = Counter(fate_of(row, over) for row in asked)
    found = [row for row in asked if not fate or _is(row, fate, over, reviews[row["number"]])]
    merged = [row for row in found if row["status"] == "merged"]
    return {
        "count": len(found),
        "fates": {name: counts[name] for name in FATES if counts[name]},
        "median_age_s": median(between(row["opened_at"], row["merged_at"]) for row in merged),
        "lines": sorted(found, key=lambda row: _order(row, sort, reviews)),
    }


def pull_line(newest: Newest, row: Row) -> dict[str, Any]:
    """A pull with its fate, its times in seconds, its place on the axis in per cent, and its reviews, oldest first."""
    span, reviews = length(newest), newest.reading(reviews_of)[row["number"]]
    opened, ended = seconds(newest, row["opened_at"]), seconds(newest, row["merged_at"] or row["closed_at"])
    return {
        "number": row["number"],
        "title": row["title"],
        "fate": fate_of(row, newest.reading(is_over)),
        "author": row["author"],
        "author_name": name_of(newest, row["author"]),
        "merged_by": row["merged_by"],
        "merged_by_name": name_of(newest, row["merged_by"]) if row["merged_by"] is not None else None,
        "claim": row["claim"],
        "conflicts": row["conflicts"],
        "opened_at_s": opened,
        "ended_at_s": ended,
        "age_s": None if ended is None or opened is None else ended - opened,
        "from_pc": _per_cent(opened or 0.0, span),
        "to_pc": _per_cent(span if ended is None else ended, span),
        "reviews": [{**each, "name": name_of(newest, each["reviewer"])} for each in reviews],
        **evidence("pulls", row),
    }


def reviews_of(newest: Newest) -> dict[Any, list[Row]]:
    """Reviews by pull, oldest first."""
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in newest.tables["reviews"].values():
        found[row["pull"]].append(row)
    for listed in found.values():
        listed.sort(key=lambda row: row["at"] or "")
    return found


def _per_cent(at: float, span: float) -> float:
    return round(min(100.0, max(0.0, 100 * at / span)), 2)


def _fits(row: Row, worker: int | None, words: str) -> bool:
    if worker is not None and worker not in (row["author"], row["merged_by"]):
        return False
    return not words or words.casefold() in f"#{row['number']} {row['title']} {row['head']}".casefold()


def _is(row: Row, fate: str, over: bool, reviews: list[Row]) -> bool:
    if fate == "withdrawn":
        return any(each["verdict"] == "approved" and each["status"] == "withdrawn" for each in reviews)
    if fate == "unreviewed":
        return all(each["reviewer"] == row["author"] for each in reviews)
    if fate == "came to conflict":
        return bool(row["conflicts"])
    if fate == "by its author":
        return bool(row["status"] == "merged" and row["merged_by"] == row["author"])
    return fate_of(row, over) == fate


def _order(row: Row, sort: str, reviews: dict[Any, list[Row]]) -> Any:
    if sort == "newest":
        return (-row["number"],)
    if sort == "oldest":
        return (-(between(row["opened_at"], row["merged_at"] or row["closed_at"]) or 1e12), row["number"])
    if sort == "reviews":
        return (-len(reviews[row["number"]]), row["number"])
    return (row["opened_at"] or "", row["number"])
