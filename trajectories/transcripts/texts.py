"""Strings of a message for a page: clipped where long, with what was cut out of the stream named. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLIP = 4_000  # characters of one text in a page of entries; the entry alone has all of it
DEEP = 12

Text = dict[str, Any]


def text_of(value: Any, clip: int | None) -> Text | None:
    """`{"text", "chars"?, "blob"?}` of a string or of the mark of a cut one; None for anything else.

    `chars` = the whole length where it was clipped here; `blob` = {"sha256", "bytes"} where the tap had cut it.
    """
    if isinstance(value, str):
        return clipped(value, clip)
    mark = cut_mark(value)
    if mark is None:
        return None
    return {**clipped(str(mark.get("head") or ""), clip), "blob": {"sha256": mark["sha256"], "bytes": mark["bytes"]}}


def clipped(text: str, clip: int | None) -> Text:
    """The beginning of a text."""
    if clip is None or len(text) <= clip:
        return {"text": text}
    return {"text": text[:clip], "chars": len(text)}


def cut_mark(value: Any) -> Mapping[str, Any] | None:
    """The `$cut` mark of a string that travels as a blob."""
    mark = value.get("$cut") if isinstance(value, Mapping) else None
    if not isinstance(mark, Mapping) or not isinstance(mark.get("sha256"), str):
        return None
    return {"head": mark.get("head"), "sha256": mark["sha256"][:64], "bytes": whole(mark.get("bytes"))}


def arguments(value: Any, clip: int | None, deep: int = 0) -> Any:
    """Arguments as JSON for the page: long strings clipped, deep nesting named."""
    if isinstance(value, str):
        if clip is not None and len(value) > clip:
            return f"{value[:clip]}… ({len(value):,} characters)"
        return value
    mark = cut_mark(value)
    if mark is not None:
        return f"{str(mark['head'] or '')[: clip or 32_768]}… ({mark['bytes']:,} bytes)"
    if deep > DEEP:
        return "…"
    if isinstance(value, Mapping):
        return {str(name): arguments(each, clip, deep + 1) for name, each in list(value.items())[:200]}
    if isinstance(value, list):
        return [arguments(each, clip, deep + 1) for each in value[:500]]
    return value


def whole(value: Any) -> int:
    """A number that counts something, or 0."""
    return value if type(value) is int and value >= 0 else 0


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []
