"""What a person asks for: words that must all be there, "phrases", -words that must not; whole words or any part of one. Pure.

A part of a word needs three letters; shorter words are looked for as whole words. Writings without blanks (Chinese, Japanese, Thai ..)
have no word ends, so there any length is a part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trajectories.search.folding import composed, fold

LONGEST = 200
MOST = 8
SHORTEST_PART = 3
_TOKEN = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')
# Scripts written without blanks between words, and their marks.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One folded text that must (or must not) be found; `whole` = not inside a longer word."""

    text: str
    whole: bool
    absent: bool = False

    def is_in(self, folded: str) -> bool:
        """Found in a folded text."""
        return self.found(folded) >= 0

    def found(self, folded: str, start: int = 0) -> int:
        """Where, from `start` on; -1 if nowhere."""
        at = folded.find(self.text, start)
        while at >= 0 and self.whole and not _stands_alone(folded, at, at + len(self.text)):
            at = folded.find(self.text, at + 1)
        return at


class Unclear(ValueError):
    """The words cannot be searched for; the message says why."""


def terms(words: str, whole: bool = False) -> list[Term]:
    """The terms of a query, the longest first. Raises Unclear."""
    found: list[Term] = []
    for minus, phrase, word in _TOKEN.findall(composed(words)[:LONGEST].replace("\x00", " ")):
        text = fold(phrase or word).strip()
        if not text:
            continue
        short = len(text) < SHORTEST_PART and not _UNSPACED.search(text)
        found.append(Term(text, (whole and not _UNSPACED.search(text)) or short, bool(minus)))
    if not any(not term.absent for term in found):
        raise Unclear("q: say at least one word to look for")
    return sorted(found[:MOST], key=lambda term: (term.absent, -len(term.text)))


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = start == 0 or not (_is_word(text[start - 1]) and _is_word(text[start]))
    behind = end >= len(text) or not (_is_word(text[end - 1]) and _is_word(text[end]))
    return before and behind


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
