"""What a step gave back, as each harness says it: texts, diffs, terminal output, deliveries of the inbox. Pure.

Copilot: `rawOutput.content`, diffs in `content`. Claude: `rawOutput` is the text, `content` the same in a fence. Codex: terminal text in
`_meta.terminal_output_delta`. mini and the team's tools: text blocks, of which one may hold what the inbox handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from trajectories.transcripts.texts import Text, cut_mark, listed, mapping, text_of

Part = dict[str, Any]
_NAMES = ("content", "output", "formatted_output", "stdout", "stderr", "message", "error")
_PATCH = "detailedContent"  # Copilot: a unified diff of what was read or written


def terminal_of(update: Mapping[str, Any]) -> str:
    """Terminal output that this update adds."""
    meta = mapping(update.get("_meta"))
    for name in ("terminal_output_delta", "terminal_output"):
        data = mapping(meta.get(name)).get("data")
        if isinstance(data, str):
            return data
    return ""


def parts_of(update: Mapping[str, Any], terminal: str, clip: int | None) -> list[Part]:
    """The parts of a step's output in reading order, from the merged update."""
    diffs, texts = [], []
    for block in listed(update.get("content")):
        block = mapping(block)
        if block.get("type") == "diff":
            diffs.append(_diff(block, clip))
        elif block.get("type") == "content":
            inner = mapping(block.get("content"))
            texts.append(inner.get("text") if "text" in inner else f"[{inner.get('type')}]")
    raw = update.get("rawOutput")
    parts: list[Part] = list(diffs)
    if terminal:
        parts.append({"type": "terminal", **(text_of(terminal, clip) or {})})
    if isinstance(raw, str) or cut_mark(raw) is not None:
        parts += _said([raw], clip)
    elif texts:
        parts += _said(texts, clip)
    elif isinstance(raw, list):
        parts += _said([mapping(each).get("text") for each in raw], clip)
    elif isinstance(raw, Mapping):
        parts += _named(raw, clip, bool(diffs))
    return parts


def _diff(block: Mapping[str, Any], clip: int | None) -> Part:
    old, new = text_of(block.get("oldText") or "", clip), text_of(block.get("newText") or "", clip)
    made = block.get("oldText") in (None, "")
    return {"type": "diff", "path": str(block.get("path") or "")[:400], "old": old, "new": new, "made": made}


def _named(raw: Mapping[str, Any], clip: int | None, has_diff: bool) -> list[Part]:
    parts: list[Part] = []
    for name in _NAMES:
        told = text_of(raw.get(name), clip)
        if told and told["text"] and told["text"] not in [part.get("text") for part in parts]:
            parts.append({"type": "terminal" if name in ("output", "stdout", "stderr") else "text", **told})
    patch = raw.get(_PATCH)
    if not has_diff and isinstance(patch, str) and _changes(patch):
        parts.append({"type": "patch", **(text_of(patch.lstrip("\n"), clip) or {})})
    return parts


def _changes(patch: str) -> bool:
    """Whether a unified diff takes a line out or puts one in: Copilot sends one for a mere look at a file too."""
    _, _, hunks = patch.partition("\n@@ ")
    return any(line[:1] in ("+", "-") for line in hunks.split("\n"))


def _said(values: list[Any], clip: int | None) -> list[Part]:
    parts: list[Part] = []
    for value in values:
        items = delivered(value) if isinstance(value, str) else None
        told = text_of(value, clip)
        if items is not None:
            parts.append({"type": "inbox", "items": items})
        elif told and told["text"]:
            shell = _shell(value) if isinstance(value, str) else None
            parts.append(
                {"type": "terminal", **(text_of(shell, clip) or {})} if shell is not None else _json(value, told)
            )
    return parts


def _shell(text: str) -> str | None:
    """The output inside `{"exit_code": .., "output": ".."}`, as mini's shell answers."""
    value = _object(text)
    output = value.get("output") if value and "exit_code" in value else None
    return output if isinstance(output, str) else None


def _json(value: Any, told: Text) -> Part:
    is_json = isinstance(value, str) and value[:1] in "{[" and _readable(value)
    return {"type": "json" if is_json else "text", **told}


def delivered(text: str) -> list[dict[str, Any]] | None:
    """The inbox items in a text block `{"inbox": [..]}`; None if it is none."""
    if '"inbox"' not in text[:40]:
        return None
    found = (_object(text) or {}).get("inbox")
    if not isinstance(found, list):
        return None
    names = ("feed", "item", "from", "text", "at")
    return [{name: mapping(each).get(name) for name in names} for each in found[:200]]


def _object(text: str) -> dict[str, Any] | None:
    if text.lstrip()[:1] != "{":
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _readable(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
