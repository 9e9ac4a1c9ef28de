"""Reviews, comments and the timeline of a pull."""

from __future__ import annotations

import json
from typing import Any

from standins.forge.forge import Forge, Row
from standins.forge.shapes.people import full_name, user, when


def review(forge: Forge, repo: Row, pull_row: Row, row: Row) -> dict[str, Any]:
    web = f"{forge.url}/{full_name(forge, repo)}/pulls/{pull_row['number']}"
    return {
        "id": row["id"],
        "user": user(forge, forge.account_by_id(row["user_id"])),
        "team": None,
        "state": row["state"],
        "body": row["body"],
        "commit_id": row["commit_id"],
        "stale": bool(row["stale"]),
        "official": bool(row["official"]),
        "dismissed": bool(row["dismissed"]),
        "comments_count": forge.store.value("SELECT count(*) FROM review_comment WHERE review_id = ?", row["id"]),
        "submitted_at": when(row["created"]),
        "updated_at": when(row["updated"]),
        "html_url": f"{web}#issuecomment-{row['id']}",
        "pull_request_url": web,
    }


def inline_comment(forge: Forge, repo: Row, pull_row: Row, row: Row) -> dict[str, Any]:
    """A comment inside a review, at a line of the diff."""
    web = f"{forge.url}/{full_name(forge, repo)}/pulls/{pull_row['number']}"
    return {
        "id": row["id"],
        "body": row["body"],
        "user": user(forge, forge.account_by_id(row["user_id"])),
        "resolver": None,
        "pull_request_review_id": row["review_id"],
        "created_at": when(row["created"]),
        "updated_at": when(row["created"]),
        "path": row["path"],
        "commit_id": row["commit_id"],
        "original_commit_id": "",
        "diff_hunk": "",
        "position": row["line"],
        "original_position": 0,
        "html_url": f"{web}#issuecomment-{row['id']}",
        "pull_request_url": web,
    }


def comment(forge: Forge, repo: Row, pull_row: Row, row: Row) -> dict[str, Any]:
    web = f"{forge.url}/{full_name(forge, repo)}/pulls/{pull_row['number']}"
    return {
        "id": row["id"],
        "html_url": f"{web}#issuecomment-{row['id']}",
        "pull_request_url": web,
        "issue_url": "",
        "user": user(forge, forge.account_by_id(row["user_id"])),
        "original_author": "",
        "original_author_id": 0,
        "body": row["body"],
        "assets": [],
        "created_at": when(row["created"]),
        "updated_at": when(row["updated"]),
    }


def timeline(forge: Forge, repo: Row, pull_row: Row, row: Row) -> dict[str, Any]:
    shown = comment(forge, repo, pull_row, row)
    for key in ("assets", "original_author", "original_author_id"):
        del shown[key]
    return {
        **shown,
        "type": row["type"],
        "review_id": row["review_id"],
        "old_title": "",
        "new_title": "",
        "old_ref": "",
        "new_ref": "",
        "ref_commit_sha": "",
        "removed_assignee": False,
        "assignee": None,
        **json.loads(row["extra"]),
    }
