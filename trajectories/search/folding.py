"""Text as search compares it: case, width and form folded character by character, so that a place in it is a place in the original. Pure."""

from __future__ import annotations

import re
import unicodedata


class _Folds(dict[int, str]):
    """A table for `str.translate` that learns each character once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = unicodedata.normalize("NFKC", char).casefold() if code > 127 else char.lower()
        self[code] = folded = " " if folded.isspace() else folded
        return folded


_folds = _Folds()
_BLANK = re.compile(r"[ \x00-\x1f]+")


def composed(text: str) -> str:
    """The form in which a text is indexed and shown: composed, and never with a lone half of a character."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())


def fold(text: str) -> str:
    """A composed text as it is compared. Runs of blanks are one blank."""
    folded = text.lower() if text.isascii() else text.translate(_folds)
    return _BLANK.sub(" ", folded)


def places(text: str) -> tuple[str, list[int]]:
    """(fold(text), for each of its characters the index in `text` that it came from)."""
    out: list[str] = []
    origin: list[int] = []
    blank = False
    for index, char in enumerate(text):
        folded = char.lower() if char.isascii() else _folds[ord(char)]
        for each in folded:
            is_blank = each == " " or each < " "
            if is_blank and blank:
                continue
            out.append(" " if is_blank else each)
            origin.append(index)
            blank = is_blank
    return "".join(out), origin
