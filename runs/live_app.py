"""The one running app of a data folder: its lock, and the address it answers at."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from django.conf import settings

from runs.backends.files import read_json, write_json


def _file(name: str) -> Path:
    return Path(settings.DATA_DIR) / name


class UpLock:
    """Held by the running `up`. The kernel lets go of it when the process dies, however it dies."""

    def __init__(self) -> None:
        self._handle = -1

    def take(self) -> bool:
        """True if this process now is the app of the data folder."""
        self._handle = os.open(_file("up.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.drop()
            return False
        return True

    def drop(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> UpLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()


def say_address(url: str) -> None:
    """Write where the app answers, for workers and for commands in another shell."""
    write_json(_file("up.json"), {"url": url, "pid": os.getpid()})


def app_url() -> str:
    """Where workers reach the app: AGENSH_URL, else where `up` answers or answered last; empty if it never did."""
    if settings.APP_URL:
        return str(settings.APP_URL)
    known = read_json(_file("up.json"))
    return str(known["url"]) if isinstance(known, dict) and "url" in known else ""


def public_url() -> str:
    """Where people reach the app: AGENSH_PUBLIC_URL, else where workers do."""
    return str(settings.PUBLIC_URL) or app_url()


def is_live() -> bool:
    """True while some process runs `up` on this data folder."""
    lock = UpLock()
    if not _file("up.lock").exists():
        return False
    if lock.take():
        lock.drop()
        return False
    return True
