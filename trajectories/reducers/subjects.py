"""What a claim is about, from its words alone: subject keys, paths, releases, note ids and pull numbers in a text."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection
from typing import Final

_LONGEST: Final = 4_000  # a text is read this far; notes and titles are shorter
_URL: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+|\bwww\.\S+|\S+@\S+")
_SPLIT: Final = re.compile(r"[\s\"'`“”‘’«»()\[\]{}<>|,;!?*=]+")
_LINE: Final = re.compile(r"(?::\d+)+:?$")
_SLASHED: Final = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+")
_FILE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[A-Za-z][A-Za-z0-9]{0,7}")
_VERSION: Final = re.compile(r"[vV]?\d+(?:\.[\dxX]+)+[A-Za-z0-9.-]*")
_NOT_PATHS: Final = frozenset(["and/or", "w/o", "n/a", "e.g", "i.e", "a.k.a", "w/", "either/or", "his/her", "i/o"])
_RELEASE: Final = frozenset(["release", "released", "releasing", "dropping", "yielding", "unclaim"])
_FIRST_WORD: Final = re.compile(r"\W*(\w+(?:-\w+)*)")
_NOTE_IDS: Final = re.compile(r"(?<![\w#])(?:n|#|note\s+#?n?)(\d{1,15})(?!\w)", re.IGNORECASE)
_PULLS: Final = re.compile(r"(?:(?<![\w&])#|!|(?<!\w)(?:pull|pr)\s+#?)(\d{1,15})(?!\w)", re.IGNORECASE)
_LEADS: Final = (
    ("claim",),
    ("claiming",),
    ("claimed",),
    ("claims",),
    ("taking", "over"),
    ("i", "will"),
    ("working", "on"),
)


class _Spaces(dict[int, str | int]):
    """A translation table, filled as characters are met: punctuation becomes a space, all else stays."""

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        gap = char in string.punctuation or unicodedata.category(char).startswith("P")
        self[code] = " " if gap else code
        return self[code]


_SPACES: Final = _Spaces()


def folded(delegation_id: object) -> str:
    """A delegation id as it is compared: casefolded, stripped; empty if there is none."""
    return delegation_id.strip().casefold() if isinstance(delegation_id, str) else ""


def paths(text: str) -> tuple[str, ...]:
    """The path-like tokens of a text, normalised, in order, each once."""
    found: dict[str, bool] = {}
    for token in _SPLIT.split(_URL.sub(" ", text[:_LONGEST])):
        if "/" in token or "." in token:
            path = _path(token)
            if path:
                found[path] = True
    return tuple(found)


def _path(token: str) -> str | None:
    token = _LINE.sub("", token.strip(":")).rstrip(".-:/")
    while token.startswith("./"):
        token = token[2:]
    token = re.sub(r"/(?:\./)*/*", "/", token).lstrip("/")
    if token.casefold() in _NOT_PATHS or _VERSION.fullmatch(token) or not any(c.isalpha() for c in token):
        return None
    return token if _SLASHED.fullmatch(token) or _FILE.fullmatch(token) else None


def subject_key(text: str, delegation_id: object, note: int | str, names: Collection[str] = ()) -> str:
    """`d:` delegation id, else `p:` first path, else `t:` the sorted words; a text without words is its own subject."""
    if delegation := folded(delegation_id):
        return f"d:{delegation}"
    if found := paths(text):
        return f"p:{found[0]}"
    return f"t:{text_words(text, names) or note}"


def text_words(text: str, names: Collection[str] = ()) -> str:
    """A text's words, casefolded, NFKC, without leading claim words and without worker names, sorted."""
    words = unicodedata.normalize("NFKC", text[:_LONGEST].casefold()).translate(_SPACES).split()
    if names:
        words = [word for word in words if word not in names]
    start = 0
    while start < len(words):
        lead = next((lead for lead in _LEADS if tuple(words[start : start + len(lead)]) == lead), None)
        if lead is None:
            break
        start += len(lead)
    return " ".join(sorted(words[start:]))


def release_rest(text: str) -> str | None:
    """What follows the release word if the text starts with one, else None."""
    first = _FIRST_WORD.match(text[:200])
    if first is None or first.group(1).casefold() not in _RELEASE:
        return None
    return text[first.end() :]


def note_ids(text: str) -> tuple[int, ...]:
    """Notes named as `n12`, `#12` or `note 12`."""
    return tuple(int(found) for found in _NOTE_IDS.findall(text[:_LONGEST]))


def pull_numbers(text: str) -> tuple[int, ...]:
    """Pulls named as `#7`, `pull 7`, `PR 7` or `!7`."""
    return tuple(dict.fromkeys(int(found) for found in _PULLS.findall(text[:_LONGEST])))


def holds_word(text: str, word: str) -> bool:
    """True if the (casefolded) word stands in the casefolded text with no letter or digit beside it."""
    start = text.find(word)
    while start >= 0 and word:
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
