"""What a look at a pull comes to: the facts that count, and whether they are the same as before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from trajectories.events import millis


def side_of(pull: Mapping[str, Any], side: str, what: str = "sha") -> Any:
    """`sha` or `ref` of a pull's head or base."""
    end = pull.get(side)
    return end.get(what) if isinstance(end, Mapping) else None


def at_ms(text: Any) -> int:
    """A time in ms; 0 where it is none."""
    try:
        return millis(text) if isinstance(text, str) else 0
    except (ValueError, OverflowError):
        return 0


def digest(pull: Mapping[str, Any], reviews: list[dict[str, Any]], conflict: str) -> str:
    """What counts as a change of a pull. Its base's head does not: every merge moves it for every pull."""
    said = [
        [
            each.get("id"),
            each.get("state"),
            each.get("dismissed"),
            each.get("stale"),
            each.get("body"),
            each.get("comments_count") or 0,
        ]
        for each in reviews
        if each.get("state") not in ("PENDING", "REQUEST_REVIEW")
    ]
    base = pull.get("base")
    facts = [pull.get(name) for name in ("number", "state", "merged", "title", "body")]
    return digest_of(
        [facts, side_of(pull, "head"), base.get("ref") if isinstance(base, Mapping) else None, conflict, said]
    )


def digest_of(value: Any) -> str:
    """A short name for a JSON value: equal values have equal ones."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
