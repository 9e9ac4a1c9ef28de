"""Recovery chains: what one worker lost and peers took over, one after the other, until it landed or nobody had it."""

from __future__ import annotations

from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.tools import between, evidence, median, name_of, seconds, share

LONGEST = 40  # links of one chain


def recoveries(newest: Newest) -> dict[str, Any]:
    """`{"lost", "taken_over", "landed", "landed_ppm", "median_s", "by_cause", "chains": [..]}`; chains of most workers first, then the unfinished."""
    rows = newest.tables["recoveries"]
    following = {row["from_claim"] for row in rows.values()}
    taken = {row["to_claim"] for row in rows.values() if row["to_claim"] is not None}
    chains = [_chain(newest, row) for key, row in rows.items() if key not in taken or key not in following]
    chains.sort(key=lambda chain: (-max(chain["workers"], 2), chain["status"] == "landed", chain["lost_at_s"] or 0))
    landed = [row for row in rows.values() if row["status"] == "landed"]
    causes: dict[str, list[int]] = {}
    for row in rows.values():
        count = causes.setdefault(str(row["cause"]), [0, 0])
        count[0] += 1
        count[1] += row["status"] == "landed"
    return {
        "lost": len(rows),
        "taken_over": sum(row["status"] == "taken_over" for row in rows.values()),
        "landed": len(landed),
        "landed_ppm": share(len(landed), len(rows)),
        "median_s": median(between(row["lost_at"], row["landed_at"]) for row in landed),
        "by_cause": {cause: {"lost": lost, "landed": done} for cause, (lost, done) in sorted(causes.items())},
        "chains": chains,
    }


def _chain(newest: Newest, first: Row) -> dict[str, Any]:
    rows, claims = newest.tables["recoveries"], newest.tables["claims"]
    links, row, seen, refs = [], first, set(), 0
    while row["from_claim"] not in seen and len(links) < LONGEST:
        seen.add(row["from_claim"])
        refs += row["evidence_count"]
        links.append(_link(newest, row["from_worker"], str(row["cause"]), row["lost_at"], row["from_claim"]))
        if row["taken_over_at"] is None:
            break
        links.append(_link(newest, row["to_worker"], "taken over", row["taken_over_at"], row["to_claim"]))
        following = rows.get(row["to_claim"])
        if following is None:
            break
        row = following
    if row["status"] == "landed":
        links.append(_link(newest, row["to_worker"], "landed", row["landed_at"], row["to_claim"]))
    elif row["status"] == "open":
        links.append({"worker": None, "name": "nobody yet", "word": "", "at_s": None, "claim": None})
    claim = claims.get(first["from_claim"])
    return {
        "claim": first["from_claim"],
        "text": claim["text"] if claim else None,
        "status": row["status"],
        "lost_at_s": seconds(newest, first["lost_at"]),
        "took_s": between(first["lost_at"], row["landed_at"]),
        "workers": len({link["worker"] for link in links if link["worker"] is not None}),
        "links": links,
        **evidence("recoveries", first),
        "refs_count": refs,
    }


def _link(newest: Newest, worker: Any, word: str, time: str | None, claim: Any) -> dict[str, Any]:
    at = seconds(newest, time)
    return {"worker": worker, "name": name_of(newest, worker), "word": word, "at_s": at, "claim": claim}
