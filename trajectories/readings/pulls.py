"""The pulls ledger: what became of every pull, how old it got, who merged it, and the reviews on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.links import holding
from trajectories.readings.merges import FATES, fate_of, is_over
from trajectories.readings.tools import between, evidence, length, median, name_of, seconds

FILTERS = (*FATES, "withdrawn", "unreviewed", "by its author", "came to conflict")
Reviewed = tuple[int, bool, bool]
UNREVIEWED: Reviewed = (0, False, False)
SORTS = {"opened": "opened", "newest": "newest first", "oldest": "oldest when closed", "reviews": "most reviews"}


def pulls(
    newest: Newest, *, fate: str = "", worker: int | None = None, words: str = "", sort: str = "opened"
) -> dict[str, Any]:
    """`{"count", "fates", "median_age_s", "lines": [Row]}`; lines are rows of the State, to be told by `pull_line`."""
    over, reviews = newest.reading(is_over), newest.reading(_reviewed)
    asked = [row for row in newest.tables["pulls"].values() if _fits(row, worker, words)]
    counts = Counter(fate_of(row, over) for row in asked)
    found = [row for row in asked if not fate or _is(row, fate, over, reviews.get(row["number"], UNREVIEWED))]
    merged = [row for row in found if row["status"] == "merged"]
    return {
        "count": len(found),
        "fates": {name: counts[name] for name in FATES if counts[name]},
        "median_age_s": median(between(row["opened_at"], row["merged_at"]) for row in merged),
        "lines": sorted(found, key=lambda row: _order(row, sort, reviews)),
    }


def pull_line(newest: Newest, row: Row) -> dict[str, Any]:
    """A pull with its fate, its times in seconds, its place on the axis in per cent, and its reviews, oldest first."""
    span, reviews = length(newest), holding(newest, "reviews", [row["number"]], "pull")
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
        "reviews": [
            {**each, "name": name_of(newest, each["reviewer"])}
            for each in sorted(reviews, key=lambda row: row["at"] or "")
        ],
        **evidence("pulls", row),
    }


def _reviewed(newest: Newest) -> dict[Any, Reviewed]:
    """By pull: how often it was reviewed, whether by somebody else, whether an approval was withdrawn."""
    found: dict[Any, Reviewed] = {}
    for row in newest.laid_out("reviews").tables["reviews"].values():
        count, by_peer, withdrawn = found.get(row["pull"], UNREVIEWED)
        taken_back = row["verdict"] == "approved" and row["status"] == "withdrawn"
        found[row["pull"]] = (count + 1, by_peer or row["reviewer"] != row["author"], withdrawn or taken_back)
    return found


def _per_cent(at: float, span: float) -> float:
    return round(min(100.0, max(0.0, 100 * at / span)), 2)


def _fits(row: Row, worker: int | None, words: str) -> bool:
    if worker is not None and worker not in (row["author"], row["merged_by"]):
        return False
    return not words or words.casefold() in f"#{row['number']} {row['title']} {row['head']}".casefold()


def _is(row: Row, fate: str, over: bool, reviewed: Reviewed) -> bool:
    if fate == "withdrawn":
        return reviewed[2]
    if fate == "unreviewed":
        return not reviewed[1]
    if fate == "came to conflict":
        return bool(row["conflicts"])
    if fate == "by its author":
        return bool(row["status"] == "merged" and row["merged_by"] == row["author"])
    return fate_of(row, over) == fate


def _order(row: Row, sort: str, reviewed: dict[Any, Reviewed]) -> Any:
    if sort == "newest":
        return (-row["number"],)
    if sort == "oldest":
        return (-(between(row["opened_at"], row["merged_at"] or row["closed_at"]) or 1e12), row["number"])
    if sort == "reviews":
        return (-reviewed.get(row["number"], UNREVIEWED)[0], row["number"])
    return (row["opened_at"] or "", row["number"])
