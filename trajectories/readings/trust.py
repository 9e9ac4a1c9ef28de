"""Who trusts whom: reviews from authors to reviewers, one line a pair, and folded into few enough groups to be drawn."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from trajectories.newest import Newest
from trajectories.readings.kept import kept
from trajectories.readings.tools import name_of

MOST_AUTHORS = 24  # more are folded by node
MOST_REVIEWERS = 12  # the others become one
MOST_GROUPS = 16
BLOCKS = (8, 16, 32, 64)  # workers of one node, or of none, are folded by number
OTHERS = "others"
DECISIVE = ("approved", "changes_requested")
LASTING = ("standing", "stale")


@dataclass(slots=True)
class Pair:
    """What one author had of one reviewer. `stood` = decisive reviews never taken back until their pull closed."""

    author: Any
    reviewer: Any
    reviews: int = 0
    stood: int = 0
    withdrawn: int = 0
    asked: int = 0
    since: str | None = None
    keys: list[str] = field(default_factory=list)  # of its reviews


def pairs(newest: Newest) -> dict[tuple[Any, Any], Pair]:
    """By (author, reviewer). A review by the author counts nowhere."""
    return newest.reading(_pairs)


def _pairs(newest: Newest) -> dict[tuple[Any, Any], Pair]:
    return {(row["author"], row["reviewer"]): Pair(**row) for row in newest.reading(_rows)}


def _gone_over(newest: Newest) -> list[dict[str, Any]]:
    found: dict[tuple[Any, Any], Pair] = {}
    pulls = newest.tables["pulls"]
    for key, row in newest.tables["reviews"].items():
        author, reviewer = row["author"], row["reviewer"]
        if author is None or reviewer is None or author == reviewer:
            continue
        pair = found.setdefault((author, reviewer), Pair(author, reviewer))
        pair.reviews += 1
        pair.keys.append(str(key))
        settled = pulls.get(row["pull"], {}).get("status") in ("merged", "closed")
        pair.stood += settled and row["verdict"] in DECISIVE and row["status"] in LASTING
        pair.withdrawn += row["verdict"] == "approved" and row["status"] == "withdrawn"
    for row in newest.tables["trust"].values():
        author, reviewer = row["author"], row["reviewer"]
        pair = found.setdefault((author, reviewer), Pair(author, reviewer))
        pair.asked, pair.since = row["asked"], row["since"]
    return [asdict(pair) for pair in found.values()]


_rows = kept("pairs", _gone_over)


def graph(newest: Newest, node: str | None = None) -> dict[str, Any]:
    """`{"by", "left", "right", "ribbons", ..}`: left are authors or their nodes, right the reviewers most relied on.

    `by` is worker, node or number (a block of them); with `node` only its authors, one by one. Ribbons are [left key, right key, stood].
    """
    all_pairs = pairs(newest)
    group_of, by = _groups(newest, {author for author, _ in all_pairs}, node)
    inside = [pair for pair in all_pairs.values() if node is None or node_of(newest, pair.author) == node]
    stood: Counter[Any] = Counter()
    authors: dict[Any, set[Any]] = defaultdict(set)
    for pair in inside:
        stood[pair.reviewer] += pair.stood
        if pair.stood:
            authors[pair.reviewer].add(pair.author)
    ranked = [who for who, count in sorted(stood.items(), key=lambda item: (-item[1], str(item[0]))) if count]
    shown = ranked if len(ranked) <= MOST_REVIEWERS + 1 else ranked[:MOST_REVIEWERS]
    left: Counter[str] = Counter()
    right: Counter[Any] = Counter()
    ribbons: Counter[tuple[str, Any]] = Counter()
    for pair in inside:
        if pair.stood:
            ends = group_of(pair.author), pair.reviewer if pair.reviewer in shown else OTHERS
            left[ends[0]] += pair.stood
            right[ends[1]] += pair.stood
            ribbons[ends] += pair.stood
    places = sorted(left)
    order = [*shown, *([OTHERS] if OTHERS in right else [])]
    return {
        "by": by,
        "node": node,
        "reviews": sum(pair.reviews for pair in inside),
        "stood": sum(pair.stood for pair in inside),
        "pairs": len(inside),
        "trusted_pairs": sum(1 for pair in inside if pair.since),
        "left": [{"key": key, "name": key, "stood": left[key]} for key in places],
        "right": [_reviewer(newest, key, right[key], len(ranked) - len(shown), len(authors[key])) for key in order],
        "ribbons": [[*ends, count] for ends, count in sorted(ribbons.items(), key=lambda item: str(item[0]))],
    }


def asked_by(newest: Newest, reviewer: Any) -> list[Pair]:
    """The authors a reviewer has, most relied on first."""
    mine = [pair for pair in pairs(newest).values() if pair.reviewer == reviewer]
    return sorted(mine, key=lambda pair: (-pair.stood, -pair.reviews, str(pair.author)))


def node_of(newest: Newest, worker: Any) -> str:
    """The node of a worker; a block of numbers where the team has only one."""
    workers = newest.tables["workers"]
    row = workers.get(worker)
    if row is None:
        return "outside the team"
    size = newest.reading(_block)
    if size is None:
        return str(row["node"] or "no node")
    first = (worker - 1) // size * size + 1
    return f"{name_of(newest, first)} to {name_of(newest, min(first + size - 1, max(workers)))}"


def _block(newest: Newest) -> int | None:
    """How many numbers make a block; None where the team has nodes to be folded by."""
    workers = newest.tables["workers"]
    if len({row["node"] for row in workers.values()}) > 1:
        return None
    last = max(workers, default=1)
    return next((size for size in BLOCKS if last / size <= MOST_GROUPS), -(-last // MOST_GROUPS))


def _groups(newest: Newest, authors: set[Any], node: str | None) -> tuple[Any, str]:
    if node is not None or len(authors) <= MOST_AUTHORS:
        return (lambda who: name_of(newest, who)), "worker"
    return (lambda who: node_of(newest, who)), "node" if newest.reading(_block) is None else "number"


def _reviewer(newest: Newest, key: Any, stood: int, rest: int, authors: int) -> dict[str, Any]:
    if key == OTHERS:
        return {"key": OTHERS, "name": f"{rest:,} others", "stood": stood, "authors": None}
    return {"key": key, "name": name_of(newest, key), "stood": stood, "authors": authors}
