"""What each webhook says: the keys of Gitea's payloads, nothing of our own."""

from __future__ import annotations

from typing import Any

from standins.forge import shapes
from standins.forge.forge import Forge, Row
from standins.forge.git import ZERO, Commit

MOST_COMMITS = 500


def pull_event(
    forge: Forge,
    repo: Row,
    pull: Row,
    sender: Row,
    action: str,
    *,
    review: dict[str, str] | None = None,
    reviewer: Row | None = None,
    changes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The body of every `pull_request*` event but comments."""
    payload: dict[str, Any] = {"action": action, "number": pull["number"]}
    if changes is not None:
        payload["changes"] = changes
    return payload | {
        "pull_request": shapes.pull(forge, repo, pull, None),
        "requested_reviewer": shapes.user(forge, reviewer),
        "repository": shapes.repository(forge, repo, sender),
        "sender": shapes.user(forge, sender),
        "commit_id": "",
        "review": review,
    }


def comment_event(
    forge: Forge, repo: Row, pull: Row, sender: Row, action: str, comment: Row, old: str | None = None
) -> dict[str, Any]:
    """The body of `pull_request_comment`: a comment of the conversation."""
    payload: dict[str, Any] = {
        "action": action,
        "issue": shapes.issue(forge, repo, pull),
        "pull_request": shapes.pull(forge, repo, pull, None),
        "comment": shapes.comment(forge, repo, pull, comment),
    }
    if old is not None:
        payload["changes"] = {"body": {"from": old}}
    return payload | {
        "repository": shapes.repository(forge, repo, sender),
        "sender": shapes.user(forge, sender),
        "is_pull": True,
    }


def push_event(
    forge: Forge, repo: Row, sender: Row, branch: str, before: str, after: str, commits: list[Commit]
) -> dict[str, Any]:
    """The body of `push`: commits newest first, cut to a bound."""
    name = shapes.full_name(forge, repo)
    since = repo["default_branch"] if before == ZERO else before
    head = forge.bare(repo).commit(after)
    person = shapes.user(forge, sender)
    return {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "compare_url": f"{forge.url}/{name}/compare/{since}...{after}",
        "commits": [shapes.payload_commit(forge, repo, commit) for commit in commits[:MOST_COMMITS]],
        "total_commits": len(commits),
        "head_commit": shapes.payload_commit(forge, repo, head) if head else None,
        "repository": shapes.repository(forge, repo, sender),
        "pusher": person,
        "sender": person,
    }


def ref_event(forge: Forge, repo: Row, sender: Row, name: str, kind: str, sha: str | None) -> dict[str, Any]:
    """The body of `create` (with a commit) and `delete` (without one)."""
    payload: dict[str, Any] = {"ref": name, "ref_type": kind}
    payload |= {"pusher_type": "user"} if sha is None else {"sha": sha, "default_branch": repo["default_branch"]}
    return payload | {
        "repository": shapes.repository(forge, repo, sender),
        "sender": shapes.user(forge, sender),
    }
