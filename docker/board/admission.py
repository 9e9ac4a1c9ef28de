"""Admission of one note by its own words: caps, form, placeholders. Pure; refusals are sentences, nothing is ever cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

CAPS = {"OBSERVED": 100, "FACT": 100, "FAIL": 100, "CLAIM": 100, "PATCH_SUMMARY": 300}
DETAIL_CAP = 20_000
DELEGATION_CAP = 100
PARTS = ("files", "idea", "evidence")

# Evidence that is only this proves nothing; the phrases prove nothing wherever they stand.
EMPTY_WORDS = frozenset(
    [
        "tbd",
        "tba",
        "todo",
        "to do",
        "wip",
        "in progress",
        "na",
        "n a",
        "none",
        "nil",
        "null",
        "pending",
        "later",
        "soon",
        "coming soon",
        "unknown",
        "placeholder",
        "xxx",
        "untested",
        "not yet",
        "ok",
        "done",
        "works",
        "fine",
        "good",
        "yes",
        "lgtm",
        "looks good",
        "trust me",
        "see code",
    ]
)
EMPTY_PHRASES = re.compile(
    r"\b(should (work|pass|be (ok|fine|good))|will (test|verify|check|run)|to be (tested|verified|determined|done)|"
    r"not (yet )?(tested|verified)|untested|tbd|assum(e|ed|ing) (it|to) )",
    re.IGNORECASE,
)
PATCH_FORM = re.compile(r"files\s*=(?P<files>.*?)\|\s*idea\s*=(?P<idea>.*?)\|\s*evidence\s*=(?P<evidence>.*)", re.S)


def admit(asked: Mapping[str, Any]) -> str | None:
    """Why the note is refused by its own words, else None."""
    kind, text = asked.get("type"), asked.get("text")
    if not isinstance(kind, str) or kind not in CAPS:
        return f"type must be one of {', '.join(CAPS)}"
    if not isinstance(text, str) or not text.strip():
        return "text is empty"
    for name, cap in (("detail", DETAIL_CAP), ("delegation_id", DELEGATION_CAP)):
        value = asked.get(name)
        if value is not None and not isinstance(value, str):
            return f"{name} must be text"
        if value is not None and len(value) > cap:
            return f"{name} is {len(value)} characters, the board allows {cap}"
    if len(text) > CAPS[kind]:
        return f"text is {len(text)} characters, {kind} allows {CAPS[kind]}"
    return _patch_refusal(text) if kind == "PATCH_SUMMARY" else _text_refusal(kind, text)


def _text_refusal(kind: str, text: str) -> str | None:
    if kind != "CLAIM" and plain(text) in EMPTY_WORDS:
        return f"text {text.strip()!r} is a placeholder: say what was seen"
    return None


def _patch_refusal(text: str) -> str | None:
    parts = PATCH_FORM.fullmatch(text.strip())
    if parts is None:
        return "PATCH_SUMMARY needs the form: files= .. | idea= .. | evidence= .."
    for name in PARTS:
        if not parts[name].strip():
            return f"{name}= is empty"
    evidence = parts["evidence"].strip()
    if is_placeholder(evidence):
        return f"evidence {evidence!r} is a placeholder: name the command and what it printed"
    return None


def is_placeholder(evidence: str) -> bool:
    """Whether evidence says nothing that was seen: `tbd`, `should work`, dots and dashes."""
    words = plain(evidence)
    return not words or words in EMPTY_WORDS or EMPTY_PHRASES.search(evidence) is not None


def plain(text: str) -> str:
    """A text's words alone, for comparing: NFKC, casefolded, punctuation and runs of blanks as one blank."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub(r"[\W_]+", " ", folded).split())


def subject(worker: str, asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Two notes with equal subjects say the same. What one saw is worth saying once; claims and candidates are each author's own."""
    author = "" if asked["type"] in ("OBSERVED", "FACT") else worker
    delegation_id = str(asked.get("delegation_id") or "").strip().casefold()
    return (asked["type"], author, delegation_id, " ".join(asked["text"].casefold().split()))
