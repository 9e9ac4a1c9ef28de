"""The tables of the State: which column holds a row's key and which fields a new row starts with."""

from __future__ import annotations

from typing import NamedTuple

Key = int | str
Scalar = int | str | bool | None
Value = Scalar | list[int] | list[str]
Row = dict[str, Value]


class Table(NamedTuple):
    """`key` is the column that repeats the row's key; `blank` are the fields of a new row. Lists are never mutated."""

    key: str
    blank: Row


_EVIDENCE: Row = {"evidence": [], "evidence_count": 0}

TABLES: dict[str, Table] = {
    "workers": Table(
        "worker",
        {
            "name": None,
            "node": None,
            "life": 0,
            "status": "waiting",
            "phase": "gather",
            "joined_at": None,
            "last_seen_at": None,
            "ended_at": None,
            "end_reason": None,
            "current_claim": None,
            "board_seen": 0,
            "merges_own": 0,
            "merges_others": 0,
            "reviews_given": 0,
            "steps": 0,
            "input_tokens": 0,
            "cached_tokens": 0,
            "output_tokens": 0,
            "cost_microusd": None,
        },
    ),
    "nodes": Table("node", {"status": "up", "since": None, "workers": 0, "lost_at": None}),
    "services": Table("service", {"status": "up", "since": None, "restarts": 0, "last_log": None}),
    "notes": Table(
        "note",
        {
            "worker": None,
            "type": None,
            "text": "",
            "detail": None,
            "delegation_id": None,
            "at": None,
            "hidden_at": None,
            "replaced_by": None,
            "invalidated_by": None,
        },
    ),
    "claims": Table(
        "claim",
        {
            "worker": None,
            "subject": None,
            "text": "",
            "opened_at": None,
            "first_opened_at": None,
            "previous": None,
            "status": "live",
            "closed_at": None,
            "held_until": None,
            "overlaps": [],
            "settled_by": None,
            "settled_at": None,
            "pull": None,
            "linked_by": None,
            "recovered_by": None,
            **_EVIDENCE,
        },
    ),
    "overlaps": Table(
        "overlap",
        {
            "claim": None,
            "other": None,
            "worker": None,
            "peer": None,
            "path": None,
            "began_at": None,
            "status": "open",
            "settled_at": None,
            "settled_how": None,
            "outcome": None,
            "loser": None,
            "messages": 0,
            **_EVIDENCE,
        },
    ),
    "handovers": Table(
        "pull",
        {
            "author": None,
            "asked": [],
            "answered_by": None,
            "answered_at": None,
            "cancelled": [],
            "landed_by": None,
            "landed_at": None,
            "status": "asked",
            **_EVIDENCE,
        },
    ),
    "pulls": Table(
        "number",
        {
            "title": "",
            "author": None,
            "head": None,
            "base": None,
            "opened_at": None,
            "status": "open",
            "closed_at": None,
            "merged_by": None,
            "merged_at": None,
            "conflict": "unknown",
            "conflicts": 0,
            "conflicted_at": None,
            "conflict_bases": [],
            "claim": None,
            "superseded_by": None,
            **_EVIDENCE,
        },
    ),
    "branches": Table("branch", {"sha": None, "at": None, "gaps": 0, "deleted_at": None}),
    "reviews": Table(
        "review",
        {
            "pull": None,
            "reviewer": None,
            "author": None,
            "verdict": None,
            "at": None,
            "status": "standing",
            "withdrawn_at": None,
            "counterexample": None,
            "contradicted_by": None,
            "contradicted_at": None,
            **_EVIDENCE,
        },
    ),
    "roles": Table(
        "span", {"worker": None, "role": None, "since": None, "until": None, "share_ppm": None, **_EVIDENCE}
    ),
    "trust": Table(
        "pair", {"author": None, "reviewer": None, "asked": 0, "stood": 0, "withdrawn": 0, "since": None, **_EVIDENCE}
    ),
    "recoveries": Table(
        "recovery",
        {
            "from_claim": None,
            "from_worker": None,
            "cause": None,
            "lost_at": None,
            "to_claim": None,
            "to_worker": None,
            "taken_over_at": None,
            "landed_at": None,
            "status": "open",
            **_EVIDENCE,
        },
    ),
    "behaviours": Table("name", {"first_seen_at": None, "count": 0, **_EVIDENCE}),
    "waste": Table(
        "ordinal",
        {
            "kind": None,
            "worker": None,
            "at": None,
            "began_at": None,
            "minutes": None,
            "claim": None,
            "pull": None,
            "path": None,
            "note": None,
            "shown_at": None,
            **_EVIDENCE,
        },
    ),
    "attention": Table(
        "item",
        {
            "kind": None,
            "since": None,
            "severity": None,
            "cause": None,
            "worker": None,
            "pull": None,
            "claim": None,
            "action": None,
            **_EVIDENCE,
        },
    ),
    "checkpoints": Table(
        "checkpoint",
        {
            "at_s": None,
            "commit": None,
            "passed": None,
            "total": None,
            "not_run": None,
            "rate_ppm": None,
            "error_code": None,
            "evaluator": None,
            "tokens": 0,
            "cost_microusd": None,
        },
    ),
}
