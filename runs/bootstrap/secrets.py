"""The secrets of one run: files of mode 0600 in a folder of mode 0700. Made once, read ever after."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from pathlib import Path

from runs.backends.files import write_whole


class Secrets:
    """A folder of named secrets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def path(self, name: str) -> Path:
        """Where a secret is kept; other programs get this path, never the value."""
        return self.folder / name

    def get(self, name: str) -> str | None:
        """The secret, or None if it was not made yet."""
        try:
            return self.path(name).read_text().strip() or None
        except FileNotFoundError:
            return None

    def keep(self, name: str, value: str) -> str:
        """Store a secret and give it back."""
        write_whole(self.path(name), value)
        return value

    def ensure(self, name: str, make: Callable[[], str] | None = None) -> str:
        """The secret, made now (by default: 256 random bits) if there is none."""
        return self.get(name) or self.keep(name, (make or (lambda: secrets.token_urlsafe(32)))())

    def password_of(self, account: str) -> str:
        """The password of an account, derived from one seed: an interrupted bootstrap knows it again."""
        seed = self.ensure("seed").encode()
        return "Aa1!" + hmac.new(seed, account.encode(), hashlib.sha256).hexdigest()[:40]
