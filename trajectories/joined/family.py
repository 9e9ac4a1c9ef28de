"""Which rows of the State belong to a claim or a pull: rivals, takers, pulls, reviews, later failures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trajectories.newest import Newest, Row
from trajectories.readings.links import failures_naming, folded, holding

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


def of_claim(newest: Newest, key: int) -> Family:
    """What belongs to a claim. A claim that was taken over brings its takers' claims and pulls along."""
    claims, recoveries = newest.tables["claims"], newest.tables["recoveries"]
    chain = [key]
    while (row := recoveries.get(chain[-1])) is not None and len(chain) < LONGEST:
        taker = row["to_claim"]
        if taker is None or taker in chain or taker not in claims:
            break
        chain.append(taker)
    lost = holding(newest, "recoveries", chain, "from_claim", "to_claim")
    pulls = [row["number"] for row in holding(newest, "pulls", chain, "claim")]
    pulls += [claims[each]["pull"] for each in chain if claims[each]["pull"] is not None]
    rivals = [other for other in claims[key]["overlaps"] if other in claims and other not in chain]
    return _with_pulls(newest, chain, rivals, lost, pulls)


def of_pull(newest: Newest, number: int) -> Family:
    """What belongs to a pull: the claim it is linked to, its reviews, failures that name it."""
    claim = newest.tables["pulls"][number]["claim"]
    return _with_pulls(newest, [claim] if claim in newest.tables["claims"] else [], [], [], [number])


def _with_pulls(newest: Newest, claims: list[int], rivals: list[int], lost: list[Row], found: Iterable[int]) -> Family:
    pulls = sorted({number for number in found if number in newest.tables["pulls"]})
    reviews = sorted(holding(newest, "reviews", pulls, "pull"), key=lambda row: row["at"] or "")
    return Family(claims, rivals, lost, pulls, reviews, _failures(newest, claims, pulls))


def _failures(newest: Newest, claims: list[int], pulls: list[int]) -> list[Row]:
    """FAIL notes after the first merge."""
    rows, notes = newest.tables["pulls"], newest.tables["notes"]
    merged = [row["merged_at"] for row in map(rows.__getitem__, pulls) if row["merged_at"]]
    if not merged:
        return []
    named = (folded(notes[claim]["delegation_id"]) for claim in claims if claim in notes)
    found = failures_naming(newest, pulls, [name for name in named if name is not None])
    return [row for row in found if (row["at"] or "") >= min(merged)]
