"""The key goes to the model and nowhere else: an answer that repeats it loses it on the way to the worker. Pure."""

from __future__ import annotations

MARK = b"[key]"


class Scrubber:
    """Replaces the key in a stream of bytes. It holds back only what could be the beginning of the key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What may go on now."""
        if not self._key:
            return piece
        data = (self._held + piece).replace(self._key, MARK)
        size = next((n for n in range(min(len(self._key) - 1, len(data)), 0, -1) if data.endswith(self._key[:n])), 0)
        self._held = data[len(data) - size :]
        return data[: len(data) - size]

    def finish(self) -> bytes:
        """What was held back; the beginning of a key is no key."""
        held, self._held = self._held, b""
        return held


def scrubbed(text: str, key: str) -> str:
    """A text without the key."""
    return text.replace(key, MARK.decode()) if key else text
