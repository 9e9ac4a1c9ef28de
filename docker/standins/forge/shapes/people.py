"""Times and people."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from standins.forge.forge import Forge, Row

NEVER = "0001-01-01T00:00:00Z"


def when(ms: int | None) -> str | None:
    """Gitea's times have whole seconds."""
    return None if ms is None else datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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
