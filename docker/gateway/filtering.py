"""Takes the usage chunk out of a chat stream again, where the gateway asked for it and the worker did not. Pure."""

from __future__ import annotations

import re

_EMPTY = re.compile(rb'"choices"\s*:\s*\[\s*\]')


class UsageFilter:
    """Passes whole lines; the one event without choices, and the blank line after it, stay behind."""

    def __init__(self) -> None:
        self._rest = b""
        self._skips_blank = False

    def feed(self, piece: bytes) -> bytes:
        """What may go on now."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        kept = []
        for line in lines:
            if line.startswith(b"data:") and b'"usage"' in line and _EMPTY.search(line):
                self._skips_blank = True
                continue
            if self._skips_blank and not line.strip():
                self._skips_blank = False
                continue
            self._skips_blank = False
            kept.append(line + b"\n")
        return b"".join(kept)

    def finish(self) -> bytes:
        """What came without an end of line."""
        held, self._rest = self._rest, b""
        return held
