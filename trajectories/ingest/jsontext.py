"""JSON as sources send it, made safe for parsed fields. What is stored stays as it came; only what is read is made safe.

NUL -> U+2400, lone surrogate -> U+FFFD, NaN and Infinity -> null, integers of 64 bits and more -> string, deeper than 64
levels or not JSON -> Unreadable. The same on every database, because no database sees the difference.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

DEPTH = 64
_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
# Digits become 1, an exponent's letter e, what a value may stand behind a colon, and signs go: long integers and big exponents are then
# plain strings to look for, which is many times faster than a pattern over every byte.
_SHAPE = bytes(
    49 if 48 <= c <= 57 else c if c == 46 else 101 if c in b"eE" else 58 if c in b"[,: \t\r\n" else 0
    for c in range(256)
)
_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_SURROGATE = re.compile("[\ud800-\udfff]")
_BIG = 2**63
_TOO_DEEP = f"nested deeper than {DEPTH} levels"


class Unreadable(ValueError):
    """The bytes are not JSON that we read; the message is the reason shown to people."""


def is_plain(raw: bytes, depth: int = DEPTH) -> bool:
    """True if `orjson.loads` reads these bytes, and any value within them, as `read` does: nothing in them must be made safe."""
    return not _suspect(raw) and _shallow(raw, depth)


def read(raw: bytes, depth: int = DEPTH) -> Any:
    """The value, made safe; nested at most `depth` levels. Raises Unreadable."""
    if is_plain(raw, depth):
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
    return _slowly(raw, depth)


def write(value: Any) -> bytes:
    """Compact JSON text of any value `json.loads` could have made; lone surrogates and NaN survive for `read` to handle."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def _suspect(raw: bytes) -> bool:
    """True if anything in it may need to be made safe; may say so in vain."""
    if b"\\" in raw and b"\\u" in raw and _ESCAPE.search(raw):
        return True
    shape = b":" + raw.translate(_SHAPE, b"+-")
    return b":" + b"1" * 19 in shape or (b"e111" in shape and _exponent(shape))


def _exponent(shape: bytes) -> bool:
    """True if a big exponent is a number's; in a word, as in the hash of a commit, it is nothing."""
    place = shape.find(b"e111")
    while place >= 0:
        if shape[:place].rstrip(b"1.").endswith(b":"):
            return True
        place = shape.find(b"e111", place + 1)
    return False


def _shallow(raw: bytes, depth: int) -> bool:
    """True if the nesting is surely at most `depth`. Brackets inside strings may only make it say False."""
    skeleton = raw.translate(None, _BRACKETS)
    for _ in range(depth):
        before = len(skeleton)
        skeleton = skeleton.replace(b"[]", b"").replace(b"{}", b"")
        if len(skeleton) == before:
            break
    return not skeleton


def _slowly(raw: bytes, depth: int) -> Any:
    try:
        text = raw.decode()
    except UnicodeDecodeError as problem:
        raise Unreadable(f"invalid UTF-8 at byte {problem.start}") from None
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_nothing)
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except ValueError as problem:
        raise Unreadable(f"not JSON: {str(problem)[:120]}") from None
    return _clean(value, depth)


def _integer(digits: str) -> int | str:
    if len(digits) < 19:
        return int(digits)
    value = int(digits) if len(digits) < 25 else _BIG
    return value if -_BIG <= value < _BIG else digits


def _nothing(name: str) -> None:
    return None


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, dict)):
        if depth == 0:
            raise Unreadable(_TOO_DEEP)
        if isinstance(value, list):
            return [_clean(item, depth - 1) for item in value]
        return {_text(name): _clean(item, depth - 1) for name, item in value.items()}
    return value


def _text(value: str) -> str:
    return _SURROGATE.sub("\ufffd", value.replace("\x00", "\u2400"))
