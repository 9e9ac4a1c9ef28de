"""The Team view: key figures, and the readings it is made of."""

from __future__ import annotations

from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.chains import recoveries
from trajectories.readings.collisions import LISTED, collisions, overlaps, waste
from trajectories.readings.kept import kept
from trajectories.readings.merges import fates, integrator_share
from trajectories.readings.tools import evidence, name_of, seconds, share
from trajectories.readings.trust import DECISIVE, asked_by, graph, pairs
from trajectories.reducers.behaviours import HAND_OVER


def team(newest: Newest) -> dict[str, Any]:
    """`{"figures", "trust", "integrators", "fates", "recoveries", "overlaps", "collisions", "waste", "handovers", "roles"}`; see each reading."""
    return newest.reading(_told)


def _team(given: Newest) -> dict[str, Any]:
    # Two halves, so that no moment holds the rows of all long tables: each goes over two of them again and again.
    newest = given.laid_out("claims", "recoveries")
    of_claims = {
        "recoveries": recoveries(newest),
        "overlaps": overlaps(newest),
        "collisions": collisions(newest),
        "waste": waste(newest),
    }
    newest = given.laid_out("pulls", "reviews")
    return {
        "figures": figures(newest),
        "trust": graph(newest),
        "integrators": integrator_share(newest),
        "fates": fates(newest),
        **of_claims,
        "handovers": handovers(newest),
        "roles": roles(newest),
    }


_told = kept("team", _team)


def figures(newest: Newest, most: int | None = LISTED) -> dict[str, Any]:
    """Merges by peers, approvals and how many were taken back, and what became of the pulls of those."""
    pulls = newest.tables["pulls"]
    merges = [row for row in pulls.values() if row["status"] == "merged"]
    peers = [row for row in merges if row["merged_by"] is not None and row["merged_by"] != row["author"]]
    given = [row for row in newest.tables["reviews"].values() if row["reviewer"] != row["author"]]
    approvals = [row for row in given if row["verdict"] == "approved"]
    withdrawn = [row for row in approvals if row["status"] == "withdrawn"]
    mended = [row for row in withdrawn if pulls.get(row["pull"], {}).get("status") == "merged"]
    return {
        "pulls": len(pulls),
        "merges": len(merges),
        "merged_by_peer": len(peers),
        "merged_by_peer_ppm": share(len(peers), len(merges)),
        "reviews": len(given),
        "reviews_decisive": sum(1 for row in given if row["verdict"] in DECISIVE),
        "approvals": len(approvals),
        "approvals_withdrawn": len(withdrawn),
        "withdrawn_then_merged": len(mended),
        "withdrawn": [
            _withdrawn(newest, row) for row in sorted(withdrawn, key=lambda row: row["withdrawn_at"] or "")[:most]
        ],
    }


def _withdrawn(newest: Newest, row: Row) -> dict[str, Any]:
    who = {"reviewer": row["reviewer"], "name": name_of(newest, row["reviewer"])}
    return {**_review(newest, row), **who, "author": row["author"], "author_name": name_of(newest, row["author"])}


def handovers(newest: Newest, most: int | None = LISTED) -> dict[str, Any]:
    """Pulls about which their author asked several peers: `{"count", "complete", "landed", "listed": [..]}`.

    `complete` = the behaviour in full: first answer taken, the others called off, landed by another.
    """
    rows = sorted(newest.tables["handovers"].values(), key=lambda row: row["landed_at"] or "~")
    listed = [
        {
            "pull": row["pull"],
            "author": row["author"],
            "author_name": name_of(newest, row["author"]),
            "asked": len(row["asked"]),
            "answered_by": row["answered_by"],
            "answered_name": name_of(newest, row["answered_by"]),
            "cancelled": len(row["cancelled"]),
            "landed_by": row["landed_by"],
            "landed_name": name_of(newest, row["landed_by"]),
            "landed_at_s": seconds(newest, row["landed_at"]),
            "status": row["status"],
            **evidence("handovers", row),
        }
        for row in rows[:most]
    ]
    seen = newest.tables["behaviours"].get(HAND_OVER)
    complete = seen["count"] if seen else 0
    return {
        "count": len(rows),
        "complete": complete,
        "landed": sum(1 for row in rows if row["status"] == "landed"),
        "listed": listed,
    }


def roles(newest: Newest, most: int | None = LISTED) -> dict[str, Any]:
    """`{role: {"workers", "spans", "at_once", "first": {..} or None, "listed": [..]}}`, in order of their first span."""
    found: dict[str, list[Row]] = {}
    for row in newest.tables["roles"].values():
        found.setdefault(str(row["role"]), []).append(row)
    told = {}
    for role, spans in found.items():
        spans.sort(key=lambda row: (row["since"] or "", row["worker"]))
        told[role] = {
            "workers": len({row["worker"] for row in spans}),
            "spans": len(spans),
            "at_once": _at_once(spans),
            "first": _span(newest, spans[0]),
            "listed": [_span(newest, row) for row in spans[:most]],
        }
    return dict(sorted(told.items(), key=lambda item: item[1]["first"]["since_s"] or 0))


def _at_once(spans: list[Row]) -> int:
    moves = [(row["since"] or "", 1) for row in spans] + [(row["until"], -1) for row in spans if row["until"]]
    most = held = 0
    for _, change in sorted(moves):
        held += change
        most = max(most, held)
    return most


def _span(newest: Newest, row: Row) -> dict[str, Any]:
    return {
        "worker": row["worker"],
        "name": name_of(newest, row["worker"]),
        "since_s": seconds(newest, row["since"]),
        "until_s": seconds(newest, row["until"]),
        "share_ppm": row["share_ppm"],
        **evidence("roles", row),
    }


def pair(newest: Newest, author: Any, reviewer: Any) -> dict[str, Any] | None:
    """What one author had of one reviewer, review by review; None if nothing."""
    found = pairs(newest).get((author, reviewer))
    if found is None:
        return None
    trust = newest.tables["trust"].get(f"{author}>{reviewer}")
    reviews = [newest.tables["reviews"][key] for key in found.keys]
    return {
        "author": author,
        "author_name": name_of(newest, author),
        "reviewer": reviewer,
        "reviewer_name": name_of(newest, reviewer),
        "asked": found.asked,
        "stood": found.stood,
        "withdrawn": found.withdrawn,
        "trusted_since_s": seconds(newest, found.since),
        "reviews": [_review(newest, row) for row in sorted(reviews, key=lambda row: row["at"] or "")],
        **(evidence("trust", trust) if trust else {"proof": None, "refs": [], "refs_count": 0}),
    }


def _review(newest: Newest, row: Row) -> dict[str, Any]:
    pull = newest.tables["pulls"].get(row["pull"], {})
    return {
        "review": row["review"],
        "pull": row["pull"],
        "title": pull.get("title"),
        "pull_status": pull.get("status"),
        "verdict": row["verdict"],
        "status": row["status"],
        "at_s": seconds(newest, row["at"]),
        "withdrawn_at_s": seconds(newest, row["withdrawn_at"]),
        "counterexample": row["counterexample"],
        **evidence("reviews", row),
    }


__all__ = ["asked_by", "figures", "pair", "roles", "team"]
