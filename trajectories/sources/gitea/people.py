"""People of the forge as actors: `gitea:<login>`, with the account's id beside it. Names are never parsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.sources.reading import text, whole


def actor(user: Mapping[str, Any]) -> str | None:
    """`gitea:alice`, or None where no login is given."""
    login = text(user, "login") or text(user, "username")
    return f"gitea:{login}" if login else None


def person(user: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Fields `<role>` and `<role>_id`."""
    return {role: actor(user), f"{role}_id": whole(user, "id")}


def author_of(commit: Mapping[str, Any]) -> str | None:
    """`git:<email>` of a commit's author."""
    author = commit.get("author")
    email = text(author, "email") if isinstance(author, Mapping) else None
    return f"git:{email}" if email else None
