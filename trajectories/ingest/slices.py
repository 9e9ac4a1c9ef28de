"""Cut a JSON object into the raw texts of its members, without reading them: works where a reader would give up on one of them."""

from __future__ import annotations

import re

# Possessive, and a string without an end is taken to the end of the text: one pass, whatever the bytes.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.?)*+(?:"|\Z)|[\[\]{},:]', re.DOTALL)
_SPACE = b" \t\r\n"


def members(raw: bytes) -> dict[str, bytes]:
    """Member name -> raw text of its value. Raises ValueError if `raw` is not an object."""
    found: dict[str, bytes] = {}
    for part in _parts(raw, b"{", b"}"):
        name = _TOKEN.match(part)
        if name is None or not name.group().startswith(b'"') or part[name.end() :].lstrip(_SPACE)[:1] != b":":
            raise ValueError("an object's member has no name")
        value = part[name.end() :].lstrip(_SPACE)[1:].strip(_SPACE)
        found[name.group()[1:-1].decode("utf-8", "replace")] = value
    return found


def elements(raw: bytes) -> list[bytes]:
    """The raw texts of an array's elements. Raises ValueError if `raw` is not an array."""
    return _parts(raw, b"[", b"]")


def _parts(raw: bytes, opens: bytes, closes: bytes) -> list[bytes]:
    raw = raw.strip(_SPACE)
    if not raw.startswith(opens) or not raw.endswith(closes):
        raise ValueError(f"expected {opens.decode()} ... {closes.decode()}")
    depth, start, found = 0, 1, []
    for token in _TOKEN.finditer(raw):
        mark = token.group()
        if mark in (b"[", b"{"):
            depth += 1
        elif mark in (b"]", b"}"):
            depth -= 1
            if depth == 0 and token.end() != len(raw):
                raise ValueError(f"something follows the closing {closes.decode()}")
        elif mark == b"," and depth == 1:
            found.append(raw[start : token.start()].strip(_SPACE))
            start = token.end()
    if depth != 0:
        raise ValueError("a bracket is not closed")
    last = raw[start:-1].strip(_SPACE)
    if last or found:
        found.append(last)
    return found
