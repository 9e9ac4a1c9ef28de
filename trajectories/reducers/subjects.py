"""What a claim is about, from its words alone: subjects, paths, releases, note ids and pull numbers in a text."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from trajectories.reducers.phrases import CJK, FRAME, FRAME_CJK

_LONGEST: Final = 4_000  # a text is read this far; notes and titles are shorter
_URL: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+|\bwww\.\S+|\S+@\S+")
_SPLIT: Final = re.compile(r"[\s\"'`“”‘’«»()\[\]{}<>|,;!?*=，。、；：！？（）「」]+")
_LINE: Final = re.compile(r"(?::\d+)+:?$")
_SLASHES: Final = re.compile(r"/(?:\./)*/*")
_SLASHED: Final = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+")
_FILE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[A-Za-z][A-Za-z0-9]{0,7}")
_VERSION: Final = re.compile(r"[vV]?\d+(?:\.[\dxX]+)+[A-Za-z0-9.-]*")
_NOT_PATHS: Final = frozenset(["and/or", "w/o", "n/a", "e.g", "i.e", "a.k.a", "w/", "either/or", "his/her", "i/o"])
_QUOTED: Final = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_STOP: Final = re.compile(r"[.!?;。！？；\n]")
_PAUSE: Final = re.compile(r"[.!?;。！？；\n,:，：—–-]")
_CLAUSE: Final = re.compile(r"[.!?;。！？；\n]\s*|[,:，：]\s+|\s+[—–-]\s+")
_SENTENCE: Final = re.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])|\n+")
_DIGIT: Final = re.compile(r"\d")
_NOTE_IDS: Final = re.compile(r"(?<![\w#])(?:n|#|note\s+#?n?)(\d{1,15})(?!\w)", re.IGNORECASE)
_AGAIN: Final = re.compile(
    r"\b(?:take|round|attempt|try) (?:two|three|2|3)\b|\b(?:second|third|another|fresh|new) (?:attempt|try|go|shot|round|start)\b",
    re.IGNORECASE,
)
#: What every such attempt holds; quick to look for in a casefolded text.
_MAYBE_AGAIN: Final = re.compile(
    r"(?:take|round|attempt|try|second|third|another|fresh|new) (?:two|three|2|3|attempt|try|go|shot|round|start)"
)
_COMPOUND: Final = re.compile(r"(?<![\w./-])[^\W_]+(?:[-_][^\W_]+)+(?![\w/-]|\.\w)")
_PULLS: Final = re.compile(r"(?:(?<![\w&])#|!|(?<!\w)(?:pull|pr)\s+#?)(\d{1,15})(?!\w)", re.IGNORECASE)
_NAME: Final = re.compile(r"w\d{1,5}")
_WORD_CJK: Final = re.compile(f"{CJK.pattern}|[^\\s]+")


class _Spaces(dict[int, str | int]):
    """A translation table, filled as characters are met: punctuation becomes a space, all else stays."""

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        gap = char in string.punctuation or unicodedata.category(char).startswith("P")
        self[code] = " " if gap else code
        return self[code]


_SPACES: Final = _Spaces()
_ASCII: Final = bytes(32 if chr(code) in string.punctuation else code for code in range(256))


def folded(delegation_id: object) -> str:
    """A delegation id as it is compared: casefolded, stripped; empty if there is none."""
    return delegation_id.strip().casefold() if isinstance(delegation_id, str) else ""


def unquoted(text: str) -> str:
    """A text without the lines in which it quotes another (`> ..`): what its author says itself."""
    return _QUOTED.sub("", text) if ">" in text or "|" in text else text


def paths(text: str) -> tuple[str, ...]:
    """The path-like tokens of a text, normalised, in order, each once."""
    if "/" not in text and "." not in text:
        return ()
    found: dict[str, bool] = {}
    said = text[:_LONGEST]
    if "@" in said or "://" in said or "www." in said:
        said = _URL.sub(" ", said)
    for token in _SPLIT.split(said):
        if "/" in token or "." in token:
            path = _path(token)
            if path:
                found[path] = True
    return tuple(found)


def _path(token: str) -> str | None:
    if ":" in token:
        token = _LINE.sub("", token.strip(":"))
    token = token.rstrip(".-:/")
    if "/" not in token and "." not in token:
        return None
    while token.startswith("./"):
        token = token[2:]
    token = _SLASHES.sub("/", token).lstrip("/")
    if token.casefold() in _NOT_PATHS or _VERSION.fullmatch(token) or not any(c.isalpha() for c in token):
        return None
    return token if _SLASHED.fullmatch(token) or _FILE.fullmatch(token) else None


def subject_key(text: str, delegation_id: object, note: int | str, names: Collection[str] = ()) -> str:
    """`d:` delegation id, else `p:` first file, else `t:` the sorted words; a text without words is its own subject.

    A path without an extension is a subject only where the text says nothing more: `src/reader: tables` is about tables.
    """
    return key_of(folded(delegation_id), paths(text), content(text, names), note)


def key_of(delegation: str, found: tuple[str, ...], said: list[str], note: int | str) -> str:
    """`subject_key` of a text whose folded delegation id, paths and content are known."""
    if delegation:
        return f"d:{delegation}"
    for path in found:
        if is_file(path):
            return f"p:{path}"
    words = " ".join(sorted(set(said)))
    if found and words == text_words(found[0]):
        return f"p:{found[0]}"
    return f"t:{words or note}"


def is_file(path: str) -> bool:
    """A path whose last part has an extension."""
    return _FILE.fullmatch(path.rpartition("/")[2]) is not None


def text_words(text: str, names: Collection[str] = ()) -> str:
    """A text's words, each once, casefolded, NFKC, sorted, without worker names and without the words of taking and leaving."""
    return " ".join(sorted(set(content(text, names))))


def content(text: str, names: Collection[str] = ()) -> list[str]:
    """The words of a text that may say what it is about, in order."""
    said = text[:_LONGEST]
    if _DIGIT.search(said):
        said = _NOTE_IDS.sub(" ", said)
    flat = said.casefold()
    if _MAYBE_AGAIN.search(flat):
        flat = _AGAIN.sub(" ", said).casefold()
    if flat.isascii():
        words = flat.encode().translate(_ASCII).decode().split()
    else:
        flat = unicodedata.normalize("NFKC", flat).translate(_SPACES)
        words = flat.split() if flat.isascii() else _mixed(flat)
    words = [
        word
        for word in words
        if word not in FRAME and word not in names and (word[0] != "w" or not _NAME.fullmatch(word))
    ]
    return [word for word in words if word.isalnum() or any(map(str.isalnum, word))] or words


def _mixed(flat: str) -> list[str]:
    """Words where scripts without spaces stand among others: a run of such script is one word, less its frame."""
    words = []
    for word in _WORD_CJK.findall(CJK.sub(lambda run: f" {run.group()} ", flat)):
        if CJK.fullmatch(word):
            for frame in FRAME_CJK:
                word = word.replace(frame, "")
        if word:
            words.append(word)
    return words


def lowered(text: str) -> str:
    """A text in lower case, as long as it was."""
    low = text.casefold()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := each.casefold()) == 1 else each for each in text)


def sentences(text: str) -> list[str]:
    """What the author says itself, sentence by sentence."""
    said = unquoted(text[:_LONGEST])
    if not _STOP.search(said):
        return [said] if said else []
    return [each for each in _SENTENCE.split(said) if each]


def clause_starts(sentence: str) -> list[int]:
    """Where the clauses of a sentence begin."""
    return [0, *(found.end() for found in _CLAUSE.finditer(sentence))] if _PAUSE.search(sentence) else [0]


@lru_cache(maxsize=256)
def note_ids(text: str) -> tuple[int, ...]:
    """Notes named as `n12`, `#12` or `note 12`."""
    return tuple(int(found) for found in _NOTE_IDS.findall(text[:_LONGEST])) if _DIGIT.search(text) else ()


@lru_cache(maxsize=256)
def pull_numbers(text: str) -> tuple[int, ...]:
    """Pulls named as `#7`, `pull 7`, `PR 7` or `!7`."""
    if not _DIGIT.search(text):
        return ()
    return tuple(dict.fromkeys(int(found) for found in _PULLS.findall(text[:_LONGEST])))


def compounds(text: str) -> tuple[str, ...]:
    """Words joined by hyphens or underscores (`btree-null-handling`), casefolded, that are no part of a path."""
    if "-" not in text and "_" not in text:
        return ()
    return tuple(dict.fromkeys(found.casefold() for found in _COMPOUND.findall(text[:_LONGEST])))


def has_digit(text: str) -> bool:
    """Whether it can name a note or a pull at all."""
    return _DIGIT.search(text) is not None


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
