"""Pulls, and the same pulls seen as issues."""

from __future__ import annotations

from typing import Any

from standins.forge.forge import Forge, Row
from standins.forge.shapes.people import full_name, user, when
from standins.forge.shapes.repos import repository


def is_draft(title: str) -> bool:
    return title.upper().startswith(("WIP:", "[WIP]"))


def requested(forge: Forge, pull: Row, *, talked: bool) -> list[dict[str, Any]]:
    """As Gitea: whoever was asked and whoever has a verdict that stands; a single pull (`talked`) names who commented too."""
    rows = forge.store.all(
        "SELECT a.* FROM review r JOIN account a ON a.id = r.user_id WHERE r.pull_id = ? AND r.dismissed = 0 "
        "AND (? OR r.state <> 'COMMENT') GROUP BY a.id ORDER BY max(r.updated), max(r.id)",
        pull["id"],
        talked,
    )
    return [each for row in rows if (each := user(forge, row))]


def mergeable(forge: Forge, repo: Row, pull: Row) -> bool:
    """As Gitea: false for a conflict, for work in progress, and until a moved pull or base has been tested."""
    if pull["merged"]:
        return True
    base = forge.head_of(repo, pull["base"])
    if base is None or is_draft(pull["title"]):
        return False
    return forge.bare(repo).tested_merge(base, pull["head_sha"]) is not None


def pull(
    forge: Forge,
    repo: Row,
    row: Row,
    viewer: Row | None,
    *,
    numbers: bool = True,
    shown_repo: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A pull request. `numbers` = a single pull, with additions and deletions (a git diff).

    A list shows its repository once and hands it to every row: `shown_repo`.
    """
    store = forge.store
    shown_repo = shown_repo or repository(forge, repo, viewer)
    web = f"{shown_repo['html_url']}/pulls/{row['number']}"
    comments = store.value("SELECT count(*) FROM comment WHERE pull_id = ? AND type = 'comment'", row["id"])
    reviews = store.value("SELECT count(*) FROM review WHERE pull_id = ? AND state <> 'REQUEST_REVIEW'", row["id"])
    base_sha = forge.head_of(repo, row["base"]) or row["merge_base"]
    shown: dict[str, Any] = {
        "id": row["id"],
        "url": web,
        "number": row["number"],
        "user": user(forge, forge.account_by_id(row["author_id"])),
        "title": row["title"],
        "body": row["body"],
        "labels": [],
        "milestone": None,
        "assignee": None,
        "assignees": None,
        "requested_reviewers": requested(forge, row, talked=numbers) or ([] if numbers else None),
        "requested_reviewers_teams": None,
        "state": row["state"],
        "draft": is_draft(row["title"]),
        "is_locked": False,
        "comments": comments,
        "review_comments": reviews,
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "mergeable": mergeable(forge, repo, row),
        "merged": bool(row["merged"]),
        "merged_at": when(row["merged_at"]),
        "merge_commit_sha": row["merge_sha"],
        "merged_by": user(forge, forge.account_by_id(row["merged_by"])),
        "allow_maintainer_edit": False,
        "base": {"label": row["base"], "ref": row["base"], "sha": base_sha, "repo_id": repo["id"], "repo": shown_repo},
        "head": {
            "label": row["head"],
            "ref": row["head"],
            "sha": row["head_sha"],
            "repo_id": repo["id"],
            "repo": shown_repo,
        },
        "merge_base": row["merge_base"],
        "due_date": None,
        "created_at": when(row["created"]),
        "updated_at": when(row["updated"]),
        "closed_at": when(row["closed_at"]),
        "pin_order": 0,
        "content_version": 0,
    }
    if numbers:
        files = forge.bare(repo).changed_files(row["merge_base"] or row["head_sha"], row["head_sha"])
        shown |= {
            "additions": sum(file["add"] for file in files),
            "deletions": sum(file["del"] for file in files),
            "changed_files": len(files),
        }
    return shown


def issue(forge: Forge, repo: Row, row: Row) -> dict[str, Any]:
    """The same pull seen through the issues of a repository."""
    name = full_name(forge, repo)
    web = f"{forge.url}/{name}/pulls/{row['number']}"
    return {
        "id": row["id"],
        "url": f"{forge.url}/api/v1/repos/{name}/issues/{row['number']}",
        "html_url": web,
        "number": row["number"],
        "user": user(forge, forge.account_by_id(row["author_id"])),
        "original_author": "",
        "original_author_id": 0,
        "title": row["title"],
        "body": row["body"],
        "ref": "",
        "assets": [],
        "labels": [],
        "milestone": None,
        "assignee": None,
        "assignees": None,
        "state": row["state"],
        "is_locked": False,
        "comments": forge.store.value("SELECT count(*) FROM comment WHERE pull_id = ? AND type = 'comment'", row["id"]),
        "created_at": when(row["created"]),
        "updated_at": when(row["updated"]),
        "closed_at": when(row["closed_at"]),
        "due_date": None,
        "time_estimate": 0,
        "pull_request": {
            "merged": bool(row["merged"]),
            "merged_at": when(row["merged_at"]),
            "draft": is_draft(row["title"]),
            "html_url": web,
        },
        "repository": {
            "id": repo["id"],
            "name": repo["name"],
            "owner": name.partition("/")[0],
            "full_name": name,
        },
        "pin_order": 0,
    }
