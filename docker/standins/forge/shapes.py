"""Rows as Gitea shows them: the keys of its swagger, plus those its webhooks add (`username`)."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from standins.forge.forge import ADMIN, READ, WRITE, Forge, Row
from standins.forge.git import Commit, GitFailed

NEVER = "0001-01-01T00:00:00Z"


def when(ms: int | None) -> str | None:
    """Gitea's times have whole seconds."""
    return None if ms is None else datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_draft(title: str) -> bool:
    return title.upper().startswith(("WIP:", "[WIP]"))


def user(forge: Forge, row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    face = hashlib.md5(row["email"].encode(), usedforsecurity=False).hexdigest()
    return {
        "id": row["id"],
        "login": row["login"],
        "login_name": "",
        "source_id": 0,
        "full_name": row["full_name"],
        "email": row["email"],
        "avatar_url": f"{forge.url}/avatars/{face}",
        "html_url": f"{forge.url}/{row['login']}",
        "language": "",
        "is_admin": bool(row["is_admin"]),
        "last_login": NEVER,
        "created": when(row["created"]),
        "restricted": False,
        "active": not row["is_org"],
        "prohibit_login": False,
        "location": "",
        "website": "",
        "description": row["description"],
        "visibility": "public",
        "followers_count": 0,
        "following_count": 0,
        "starred_repos_count": 0,
        "username": row["login"],
    }


def organization(forge: Forge, row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["login"],
        "full_name": row["full_name"],
        "email": row["email"],
        "avatar_url": f"{forge.url}/avatars/{row['id']}",
        "description": row["description"],
        "website": "",
        "location": "",
        "visibility": "public",
        "repo_admin_change_team_access": False,
        "username": row["login"],
    }


def token(row: Row) -> dict[str, Any]:
    shown = {
        "id": row["id"],
        "name": row["name"],
        "sha1": row.get("plain", ""),
        "token_last_eight": row["last_eight"],
        "scopes": row["scopes"],
        "created_at": when(row["created"]),
        "last_used_at": when(row["created"]),
    }
    return shown


def full_name(forge: Forge, repo: Row) -> str:
    owner = forge.account_by_id(repo["owner_id"])
    return f"{owner['login'] if owner else '?'}/{repo['name']}"


def repository(forge: Forge, repo: Row, viewer: Row | None) -> dict[str, Any]:
    owner = forge.account_by_id(repo["owner_id"])
    name = full_name(forge, repo)
    level = forge.level(viewer, repo)
    web, api = f"{forge.url}/{name}", f"{forge.url}/api/v1/repos/{name}"
    opened = forge.store.value("SELECT count(*) FROM pull WHERE repo_id = ? AND state = 'open'", repo["id"])
    branches = forge.store.value("SELECT count(*) FROM branch WHERE repo_id = ?", repo["id"])
    return {
        "id": repo["id"],
        "owner": user(forge, owner),
        "name": repo["name"],
        "full_name": name,
        "description": repo["description"],
        "empty": branches == 0,
        "private": bool(repo["private"]),
        "fork": False,
        "template": False,
        "parent": None,
        "mirror": False,
        "size": 0,
        "language": "",
        "languages_url": f"{api}/languages",
        "html_url": web,
        "url": api,
        "link": "",
        "ssh_url": "",
        "clone_url": f"{web}.git",
        "original_url": "",
        "website": "",
        "stars_count": 0,
        "forks_count": 0,
        "watchers_count": 1,
        "branch_count": branches,
        "open_issues_count": 0,
        "open_pr_counter": opened,
        "release_counter": 0,
        "default_branch": repo["default_branch"],
        "archived": False,
        "created_at": when(repo["created"]),
        "updated_at": when(repo["updated"]),
        "archived_at": "1970-01-01T00:00:00Z",
        "permissions": {"admin": level >= ADMIN, "push": level >= WRITE, "pull": level >= READ},
        "has_code": True,
        "has_issues": True,
        "internal_tracker": {
            "enable_time_tracker": False,
            "allow_only_contributors_to_track_time": True,
            "enable_issue_dependencies": True,
        },
        "has_wiki": False,
        "has_pull_requests": True,
        "has_projects": False,
        "has_releases": False,
        "has_packages": False,
        "has_actions": False,
        "ignore_whitespace_conflicts": False,
        "allow_merge_commits": True,
        "allow_rebase": False,
        "allow_rebase_explicit": False,
        "allow_squash_merge": True,
        "allow_fast_forward_only_merge": False,
        "allow_rebase_update": False,
        "default_delete_branch_after_merge": False,
        "default_merge_style": "merge",
        "default_allow_maintainer_edit": False,
        "avatar_url": "",
        "internal": False,
        "mirror_interval": "",
        "object_format_name": "sha1",
        "mirror_updated": NEVER,
        "repo_transfer": None,
        "topics": [],
        "licenses": [],
    }


def payload_user(forge: Forge, person: tuple[str, str, str]) -> dict[str, str]:
    login = forge.store.value("SELECT login FROM account WHERE email = ? AND email <> ''", person[1])
    return {"name": person[0], "email": person[1], "username": login or ""}


def payload_commit(forge: Forge, repo: Row, commit: Commit) -> dict[str, Any]:
    """A commit as webhooks and branches carry it."""
    return {
        "id": commit.sha,
        "message": commit.message,
        "url": f"{forge.url}/{full_name(forge, repo)}/commit/{commit.sha}",
        "author": payload_user(forge, commit.author),
        "committer": payload_user(forge, commit.committer),
        "verification": None,
        "timestamp": commit.committer[2],
        "added": commit.added,
        "removed": commit.removed,
        "modified": commit.modified,
    }


def api_commit(forge: Forge, repo: Row, commit: Commit) -> dict[str, Any]:
    """A commit as lists of commits carry it."""
    api = f"{forge.url}/api/v1/repos/{full_name(forge, repo)}/git/commits"
    people = [
        forge.store.one("SELECT * FROM account WHERE email = ? AND email <> ''", person[1])
        for person in (commit.author, commit.committer)
    ]
    touched = [("added", commit.added), ("removed", commit.removed), ("modified", commit.modified)]
    return {
        "url": f"{api}/{commit.sha}",
        "sha": commit.sha,
        "created": commit.committer[2],
        "html_url": f"{forge.url}/{full_name(forge, repo)}/commit/{commit.sha}",
        "commit": {
            "url": f"{api}/{commit.sha}",
            "author": dict(zip(("name", "email", "date"), commit.author, strict=True)),
            "committer": dict(zip(("name", "email", "date"), commit.committer, strict=True)),
            "message": commit.message,
            "tree": {"url": "", "sha": "", "created": commit.committer[2]},
            "verification": None,
        },
        "author": user(forge, people[0]),
        "committer": user(forge, people[1]),
        "parents": [{"url": f"{api}/{sha}", "sha": sha, "created": NEVER} for sha in commit.parents],
        "files": [{"filename": name, "status": status} for status, names in touched for name in names],
        "stats": None,
    }


def branch(forge: Forge, repo: Row, name: str, sha: str, viewer: Row | None) -> dict[str, Any]:
    commit = forge.bare(repo).commit(sha)
    rule = forge.protection(repo, name)
    may_write = forge.level(viewer, repo) >= WRITE
    return {
        "name": name,
        "commit": payload_commit(forge, repo, commit) if commit else None,
        "protected": rule is not None,
        "required_approvals": (rule or {}).get("required_approvals", 0),
        "enable_status_check": False,
        "status_check_contexts": [],
        "user_can_push": may_write and (rule is None or bool(rule.get("enable_push"))),
        "user_can_merge": may_write,
        "effective_branch_protection_name": (rule or {}).get("rule_name", ""),
    }


def hook(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "type": "gitea",
        "name": "",
        "branch_filter": row["branch_filter"],
        "config": {"content_type": row["content_type"], "url": row["url"]},
        "events": json.loads(row["events"]),
        "authorization_header": "",
        "active": bool(row["active"]),
        "updated_at": when(row["created"]),
        "created_at": when(row["created"]),
    }


def requested(forge: Forge, pull: Row) -> list[dict[str, Any]]:
    rows = forge.store.all(
        "SELECT a.* FROM review_request q JOIN account a ON a.id = q.user_id WHERE q.pull_id = ? ORDER BY q.created, a.id",
        pull["id"],
    )
    return [each for row in rows if (each := user(forge, row))]


def mergeable(forge: Forge, repo: Row, pull: Row, *, known_only: bool = False) -> bool:
    """As Gitea: false for a conflict, for work in progress and for what is no longer open without being merged."""
    if pull["merged"]:
        return True
    base = forge.head_of(repo, pull["base"])
    if pull["state"] != "open" or base is None or is_draft(pull["title"]):
        return False
    bare = forge.bare(repo)
    if known_only:
        return bare.known_to_merge(base, pull["head_sha"])
    try:
        return bare.merges(base, pull["head_sha"])
    except GitFailed:
        return False


def pull(
    forge: Forge,
    repo: Row,
    row: Row,
    viewer: Row | None,
    *,
    numbers: bool = True,
    settled: bool = True,
    shown_repo: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A pull request. `numbers` = with additions and deletions (a git diff); `settled` = the conflict check has run.

    A list shows its repository once and hands it to every row: `shown_repo`.
    """
    store = forge.store
    shown_repo = shown_repo or repository(forge, repo, viewer)
    web = f"{shown_repo['html_url']}/pulls/{row['number']}"
    comments = store.value("SELECT count(*) FROM comment WHERE pull_id = ? AND type = 'comment'", row["id"])
    reviews = store.value("SELECT count(*) FROM review WHERE pull_id = ?", row["id"])
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
        "requested_reviewers": requested(forge, row) or None,
        "requested_reviewers_teams": None,
        "state": row["state"],
        "draft": is_draft(row["title"]),
        "is_locked": False,
        "comments": comments,
        "review_comments": reviews,
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "mergeable": mergeable(forge, repo, row, known_only=not settled),
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
        "comments_count": 0,
        "submitted_at": when(row["created"]),
        "updated_at": when(row["updated"]),
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


def reference(forge: Forge, repo: Row, ref: str, sha: str) -> dict[str, Any]:
    api = f"{forge.url}/api/v1/repos/{full_name(forge, repo)}/git"
    return {
        "ref": ref,
        "url": f"{api}/{quote(ref)}",
        "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
    }
