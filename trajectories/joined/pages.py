"""What stands beside the story on the page of a claim, a pull or a worker, as plain data; the API answers the same."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trajectories.joined.family import Family, of_claim, of_pull
from trajectories.joined.gather import base_moves, claim_story, pull_story, worker_story
from trajectories.newest import Newest, Row
from trajectories.readings.claims import counted
from trajectories.readings.collisions import WORDS, kind_of
from trajectories.readings.links import holding
from trajectories.readings.merges import fate_of, is_over
from trajectories.readings.tools import between, evidence, length, name_of, seconds
from trajectories.words import CLAIM_WHY, LINKED_BY, PULL_WHY

Page = dict[str, Any]


def claim_page(newest: Newest, key: int) -> Page:
    """Raises Http404 where there is no such claim."""
    row = newest.row("claims", key, "claim")
    tables, family = newest.tables, of_claim(newest, key)
    opened = row["first_opened_at"] or row["opened_at"]
    merged = min((tables["pulls"][n]["merged_at"] or "~" for n in family.pulls), default="~")
    return {
        "row": row,
        "why": _why_claim(newest, row, family),
        "held_s": between(row["opened_at"], row["held_until"]),
        "to_merge_s": between(opened, merged) if merged != "~" else None,
        "median_to_merge_s": counted(newest)["median_landed_s"],
        "others": [tables["claims"][other] for other in family.rivals],
        "takers": [tables["claims"][each] for each in family.claims[1:]],
        "took_over": [tables["claims"][r["from_claim"]] for r in family.lost if r["to_claim"] == key],
        "recovery": tables["recoveries"].get(key),
        **_pulls_of(newest, family),
        **_neighbours(newest, key),
        **evidence("claims", row),
    }


def pull_page(newest: Newest, number: int) -> Page:
    """Raises Http404 where there is no such pull."""
    row = newest.row("pulls", number, "pull")
    family = of_pull(newest, number)
    fate = fate_of(row, newest.reading(is_over))
    return {
        "row": row,
        "fate": fate,
        "why": PULL_WHY[fate],
        "age_s": between(row["opened_at"], row["merged_at"] or row["closed_at"]),
        "so_far_s": None if (opened := seconds(newest, row["opened_at"])) is None else length(newest) - opened,
        "claim": newest.tables["claims"].get(row["claim"]),
        "clash": _clash(newest, row),
        "recovered": holding(newest, "recoveries", [row["claim"]], "to_claim"),
        **_pulls_of(newest, family),
        **evidence("pulls", row),
    }


def worker_page(newest: Newest, worker: int) -> Page:
    """Raises Http404 where there is no such worker."""
    row = newest.row("workers", worker, "worker")
    tables = newest.tables

    def mine(table: str, column: str) -> list[Row]:
        return holding(newest, table, [worker], column)

    lost = holding(newest, "recoveries", [worker], "from_worker", "to_worker")
    return {
        "row": row,
        "current": tables["claims"].get(row["current_claim"]),
        "claims": mine("claims", "worker"),
        "pulls": mine("pulls", "author"),
        "merged": [pull for pull in mine("pulls", "merged_by") if pull["author"] != worker],
        "roles": [{**role, **evidence("roles", role)} for role in mine("roles", "worker")],
        "given": [{**review, **evidence("reviews", review)} for review in mine("reviews", "reviewer")],
        "trusted_by": [pair for pair in mine("trust", "reviewer") if pair["since"]],
        "recoveries": [{**each, **evidence("recoveries", each)} for each in lost],
        "waste": [
            {**each, "words": WORDS.get(kind_of(each), str(each["kind"])), **evidence("waste", each)}
            for each in mine("waste", "worker")
        ],
        "attention": [{**each, **evidence("attention", each)} for each in mine("attention", "worker")],
        "present_s": between(row["joined_at"], row["ended_at"] or row["last_seen_at"]),
    }


STORIES = {
    "claims": (claim_page, claim_story),
    "pulls": (pull_page, pull_story),
    "workers": (worker_page, worker_story),
}


def told_of(newest: Newest, table: str, key: int) -> Page:
    """Page and story of a row of one of STORIES as one JSON value. Raises Http404 where there is no such row."""
    page, story = STORIES[table]
    told = page(newest, key)
    lines = story(newest, key)
    return {**told, "story": [asdict(line) for line in lines.moments], "story_more": lines.more}


def _clash(newest: Newest, row: Row) -> Page | None:
    """`{"times", "since_s", "still", "moves": [Moment as a dict]}`: how a pull came to conflict the last time; None if it never did.

    `moves` = what moved its base between the last time it was known to merge cleanly and the forge's first word of a conflict.
    """
    if not row["conflicts"]:
        return None
    return {
        "times": row["conflicts"],
        "since_s": seconds(newest, row["conflicted_at"]),
        "still": row["conflict"] == "true" and row["status"] == "open",
        "moves": [asdict(move) for move in base_moves(newest, row["number"])],
    }


def _pulls_of(newest: Newest, family: Family) -> Page:
    pulls = newest.tables["pulls"]
    return {
        "pulls": [{**pulls[n], "reviews": [r for r in family.reviews if r["pull"] == n]} for n in family.pulls],
        "failures": family.failures,
        "score": score_change(newest, family.pulls),
    }


def score_change(newest: Newest, pulls: list[int]) -> Page | None:
    """`{"before", "after", "passed"}`: the scored checkpoints around the last merge; None before there is one after it.

    The change is the whole team's: others merged in the same time.
    """
    merged = [seconds(newest, newest.tables["pulls"][n]["merged_at"]) for n in pulls]
    last = max((at for at in merged if at is not None), default=None)
    if last is None:
        return None
    scored = [row for row in newest.tables["checkpoints"].values() if row["rate_ppm"] is not None]
    scored.sort(key=lambda row: row["at_s"] or 0)
    after = next((row for row in scored if (row["at_s"] or 0) >= last), None)
    before = next((row for row in reversed(scored) if (row["at_s"] or 0) < last), None)
    if after is None:
        return None
    had = before["passed"] if before else 0
    return {"before": before, "after": after, "passed": after["passed"] - had}


def _why_claim(newest: Newest, row: Row, family: Family) -> str:
    how = LINKED_BY.get(str(row["linked_by"]))
    linked = f" Pull #{row['pull']} belongs to it: {how}." if row["pull"] is not None and how else ""
    if row["status"] == "recovered":
        pulls = newest.tables["pulls"]
        landed = [pulls[n] for n in family.pulls if pulls[n]["merged_at"] and pulls[n]["author"] != row["worker"]]
        linked += "".join(
            f" Pull #{pull['number']} of {name_of(newest, pull['author'])} landed it." for pull in landed[:1]
        )
    return f"{CLAIM_WHY[row['status']]}{linked}"


def _neighbours(newest: Newest, key: int) -> Page:
    keys = newest.reading(_claim_keys)
    at = keys.index(key)
    return {"previous": keys[at - 1] if at else None, "next": keys[at + 1] if at + 1 < len(keys) else None}


def _claim_keys(newest: Newest) -> list[int]:
    return sorted(newest.tables["claims"])
