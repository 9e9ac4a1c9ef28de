"""Typed readers of the environment. Every setting a person may change is listed in SETTINGS; the README's table is tested against it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SETTINGS: dict[str, str] = {
    "AGENSH_DATA_DIR": "Folder for the database, keys, logs, raw bodies and run folders. Default `var/`.",
    "DATABASE_URL": "`postgres://user:password@host/name` for production; SQLite in the data folder when unset.",
    "AGENSH_DATABASE_PASSWORD_FILE": "File to read the database's password from, where `DATABASE_URL` holds none.",
    "REDIS_URL": "`redis://host:6379/0`: Celery broker and channel layer; in-process when unset.",
    "AGENSH_URL": "Where the services of a team reach this app, such as `http://web:8000`. With `manage.py up` it is known.",
    "AGENSH_PUBLIC_URL": "Where people reach it, such as `https://runs.example.org`: links, allowed host; `https` turns `AGENSH_HTTPS` on.",
    "AGENSH_SECRET_KEY": "Signing key. Made once and kept in the data folder when unset.",
    "AGENSH_SECRET_KEY_FILE": "File to read the signing key from, for instance a mounted secret.",
    "AGENSH_ALLOWED_HOSTS": "Host names the app answers to, comma separated. Default: loopback names only.",
    "AGENSH_ADMIN_PASSWORD_FILE": "File with the first administrator's password; without it `up` prints a one-time sign-in link.",
    "AGENSH_TASKS_DIR": "Further folder of tasks beside the ones shipped in `docker/tasks`.",
    "AGENSH_CLIS_DIR": "Folder the agent CLIs of npm are installed in by `make clis`. Default `clis/` in the data folder.",
    "AGENSH_GITEA": "A `gitea` program: runs on `local` use it in place of the stand-in, each run one of its own.",
    "AGENSH_MATTERMOST": "A Mattermost folder (with `bin/mattermost`), likewise.",
    "AGENSH_POSTGRES": "Folder with `initdb` and `postgres` for these two. Default: the newest of `/usr/lib/postgresql`.",
    "AGENSH_ALLOW_UNSANDBOXED": "`1` lets real agent CLIs run on `local` without a sandbox; pages then say “not isolated”.",
    "AGENSH_DEBUG": "`1` turns Django's debug pages on. For development only.",
    "AGENSH_HTTPS": "`1` behind a TLS proxy: secure cookies, HSTS, redirects.",
}


class SettingError(Exception):
    """A setting that cannot be used; the text names it and says what to do. `manage.py` prints it as one line."""


def flag(name: str) -> bool:
    """True for 1, true, yes or on in any case."""
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"}


def words(name: str, default: list[str]) -> list[str]:
    """A comma-separated list, blanks dropped; `default` when unset or empty."""
    found = [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]
    return found or default


def data_dir() -> Path:
    """The data folder as an absolute path; it may not exist yet."""
    return Path(os.environ.get("AGENSH_DATA_DIR") or ROOT / "var").resolve()


def secret_key(folder: Path) -> str:
    """The signing key: from the environment, from a named file, or made once and kept (mode 0600) in `folder`."""
    if value := os.environ.get("AGENSH_SECRET_KEY"):
        return value
    if named := os.environ.get("AGENSH_SECRET_KEY_FILE"):
        return secret_in("AGENSH_SECRET_KEY_FILE", named)
    path = folder / "keys" / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return _make_key(path)
    except NotADirectoryError:
        raise SettingError(f"AGENSH_DATA_DIR: {folder} lies below a file; name a folder") from None
    except OSError as problem:
        raise SettingError(
            f"AGENSH_DATA_DIR: {path} cannot be read ({problem.strerror}); mend its owner or mode"
        ) from None


def secret_in(setting: str, named: str) -> str:
    """The text of the file that `setting` names, without blanks around it. Raises SettingError."""
    try:
        key = Path(named).read_text().strip()
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "not text"
        raise SettingError(f"{setting}: {named} cannot be read ({why}); name a readable file") from None
    if not key:
        raise SettingError(f"{setting}: {named} is empty; put a long random text into it")
    return key


def _make_key(path: Path) -> str:
    key = secrets.token_urlsafe(50)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:  # another process was first
        return path.read_text().strip()
    except OSError:
        # A read-only folder: commands that only print help must still work; checks.py reports it.
        return key
    with os.fdopen(handle, "w") as file:
        file.write(key)
    return key
