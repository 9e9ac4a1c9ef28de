"""Who calls: tokens from a file, read again when it changes. A token stands for one worker or for the ingest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

INGEST = "ingest"


class Tokens:
    """`{"workers": {"w0001": token, ..}, "ingest": token}`. Only hashes are kept, so that a look-up leaks no timing of a token."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at: tuple[int, int] | None = None
        self._callers: dict[str, str] = {}

    def caller(self, authorization: str) -> str | None:
        """The worker's name, "ingest", or None for an unknown token."""
        scheme, _, token = authorization.partition(" ")
        if scheme.casefold() != "bearer" or not token.strip():
            return None
        self._refresh()
        return self._callers.get(_hash(token.strip()))

    def _refresh(self) -> None:
        try:
            stat = self._path.stat()
            if self._read_at == (stat.st_mtime_ns, stat.st_size):
                return
            listed = json.loads(self._path.read_text())
            callers = {_hash(token): name for name, token in listed.get("workers", {}).items() if name != INGEST}
            if listed.get(INGEST):
                callers[_hash(listed[INGEST])] = INGEST
        except (OSError, ValueError, AttributeError):
            return  # half written or gone: the callers known so far stay, the next call looks again
        self._callers, self._read_at = callers, (stat.st_mtime_ns, stat.st_size)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
