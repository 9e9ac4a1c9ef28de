"""What a forge says of a pull and its reviews, as the tools show it. Pure."""

from __future__ import annotations

import re
from typing import Any

VERDICTS = {"APPROVED": "approved", "REQUEST_CHANGES": "changes_requested", "COMMENT": "commented"}
CLAIM = re.compile(r"^\s*claim:\s*n?(\d+)", re.IGNORECASE | re.MULTILINE)


def verdicts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the rows listed as a pull's reviews those that say something."""
    return [row for row in rows if row.get("state") in VERDICTS]


def waited_for(rows: list[dict[str, Any]]) -> list[str]:
    """Who was asked for a review and has not given it. The pull's own `requested_reviewers` does not say so: Gitea names
    there whoever has reviewed as well. A request is a row among the reviews until it is answered."""
    asked = [(row.get("user") or {}).get("login") for row in rows if row.get("state") == "REQUEST_REVIEW"]
    return [login for login in asked if login]


def shown(pull: dict[str, Any], rows: list[dict[str, Any]], longest: int | None = None) -> dict[str, Any]:
    """A pull as the tools show it, with the rows of its reviews; its texts no longer than `longest`."""
    body = pull.get("body") or ""
    claim = CLAIM.search(body)
    return {
        "number": pull["number"],
        "title": pull["title"],
        "author": pull["user"]["login"],
        "head": pull["head"]["ref"],
        "base": pull["base"]["ref"],
        "head_sha": pull["head"].get("sha"),
        "state": pull["state"],
        "merged": bool(pull.get("merged")),
        "mergeable": pull.get("mergeable"),
        "merged_by": (pull.get("merged_by") or {}).get("login"),
        "merged_at": pull.get("merged_at"),
        "body": _short(body, longest),
        "claim": int(claim[1]) if claim else None,
        "reviews": [
            {
                "reviewer": (review.get("user") or {}).get("login"),
                "verdict": VERDICTS[review["state"]],
                "text": _short(review.get("body") or "", longest),
                "at": review.get("submitted_at"),
                "dismissed": bool(review.get("dismissed")),
                "stale": bool(review.get("stale")),
            }
            for review in verdicts(rows)
        ],
        "requested": waited_for(rows),
        "opened_at": pull.get("created_at"),
        "updated_at": pull.get("updated_at"),
    }


def _short(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[:longest]}.."
