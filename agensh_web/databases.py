"""The database from DATABASE_URL: PostgreSQL in production, one SQLite file otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from agensh_web.env import SettingError, secret_in

_FORM = "DATABASE_URL must look like postgres://user:password@host:5432/name or sqlite:///path"


def database(folder: Path) -> dict[str, Any]:
    """Django's DATABASES["default"]. Raises SettingError naming DATABASE_URL if its form is not understood."""
    url = os.environ.get("DATABASE_URL", "")
    if not url or url.startswith("sqlite:"):
        return _sqlite(url, folder)
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
    except ValueError as problem:  # its text may not be shown whole: the address holds a password
        raise SettingError(_FORM) from problem
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise SettingError(_FORM)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or "") or _password(),
        "HOST": parts.hostname or "",
        "PORT": port,
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 24, "timeout": 20}},
    }


def _password() -> str:
    named = os.environ.get("AGENSH_DATABASE_PASSWORD_FILE")
    return secret_in("AGENSH_DATABASE_PASSWORD_FILE", named) if named else ""


def _sqlite(url: str, folder: Path) -> dict[str, Any]:
    name = url.removeprefix("sqlite://") if url else str(folder / "agensh.sqlite3")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": name,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000; PRAGMA mmap_size=134217728;",
        },
    }
