"""Repositories with their hooks, branches, refs and commits."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from standins.forge.forge import ADMIN, READ, WRITE, Forge, Row
from standins.forge.git import Commit
from standins.forge.shapes.people import NEVER, full_name, user, when


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


def reference(forge: Forge, repo: Row, ref: str, sha: str) -> dict[str, Any]:
    api = f"{forge.url}/api/v1/repos/{full_name(forge, repo)}/git"
    return {
        "ref": ref,
        "url": f"{api}/{quote(ref)}",
        "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
    }
