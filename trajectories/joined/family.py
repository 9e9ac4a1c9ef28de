"""Which rows of the State belong to a claim or a pull: rivals, takers, pulls, reviews, later failures. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from trajectories.newest import Row, Tables

LONGEST = 40  # claims of one chain of take-overs


@dataclass(frozen=True, slots=True)
class Family:
    """`claims` begins with the claim asked for; then the claims that took its work over, in order."""

    claims: list[int]
    rivals: list[int]
    lost: list[Row]  # recoveries that begin or end at one of the claims
    pulls: list[int]
    reviews: list[Row]  # of those pulls, oldest first
    failures: list[Row]  # FAIL notes after a merge that name one of the pulls or a claim's delegation


def of_claim(tables: Tables, key: int) -> Family:
    """What belongs to a claim. A claim that was taken over brings its takers' claims and pulls along."""
    claims, recoveries = tables["claims"], tables["recoveries"]
    chain = [key]
    while (row := recoveries.get(chain[-1])) is not None and len(chain) < LONGEST:
        taker = row["to_claim"]
        if taker is None or taker in chain or taker not in claims:
            break
        chain.append(taker)
    wanted = set(chain)
    lost = [row for row in recoveries.values() if row["from_claim"] in wanted or row["to_claim"] in wanted]
    pulls = [number for number, row in tables["pulls"].items() if row["claim"] in wanted]
    pulls += [claims[each]["pull"] for each in chain if claims[each]["pull"] is not None]
    rivals = [other for other in claims[key]["overlaps"] if other in claims and other not in wanted]
    return _with_pulls(tables, chain, rivals, lost, pulls)


def of_pull(tables: Tables, number: int) -> Family:
    """What belongs to a pull: the claim it is linked to, its reviews, failures that name it."""
    claim = tables["pulls"][number]["claim"]
    return _with_pulls(tables, [claim] if claim in tables["claims"] else [], [], [], [number])


def _with_pulls(tables: Tables, claims: list[int], rivals: list[int], lost: list[Row], found: Iterable[int]) -> Family:
    pulls = sorted({number for number in found if number in tables["pulls"]})
    wanted = set(pulls)
    reviews = [row for row in tables["reviews"].values() if row["pull"] in wanted]
    reviews.sort(key=lambda row: row["at"] or "")
    return Family(claims, rivals, lost, pulls, reviews, _failures(tables, claims, pulls))


def _failures(tables: Tables, claims: list[int], pulls: list[int]) -> list[Row]:
    """FAIL notes after the first merge. A pull is named as `#7`, `pull 7`, `PR 7` or `!7`."""
    merged = [tables["pulls"][number]["merged_at"] for number in pulls if tables["pulls"][number]["merged_at"]]
    if not merged:
        return []
    named = re.compile(rf"(?:#|!|\b(?:pull|pr)\s*#?)(?:{'|'.join(map(str, pulls))})\b", re.IGNORECASE)
    notes = tables["notes"]
    delegations = {_folded(notes.get(claim, {}).get("delegation_id")) for claim in claims} - {None}
    return [
        row
        for row in notes.values()
        if row["type"] == "FAIL"
        and (row["at"] or "") >= min(merged)
        and (named.search(f"{row['text']} {row['detail'] or ''}") or _folded(row["delegation_id"]) in delegations)
    ]


def _folded(text: Any) -> str | None:
    return str(text).strip().casefold() if text else None
