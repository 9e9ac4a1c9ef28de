"""The boolean search of the board: words, "phrases", AND, OR, NOT, brackets, `type:` and `by:`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

TOKEN = re.compile(r'\s*(\(|\)|"[^"]*"|[^\s()"]+)')
MOST_TOKENS = 100


class Searchable(Protocol):
    """What a query looks at."""

    type: str
    worker: str
    detail: str | None
    words: str  # text and delegation_id, casefolded


Test = Callable[[Searchable], bool]


class BadQuery(ValueError):
    """The query cannot be read; the message says where."""


def compile_query(query: str) -> Test:
    """A test for notes. Neighbours without an operator are ANDed; AND binds tighter than OR. Raises BadQuery."""
    tokens = TOKEN.findall(query)
    if not tokens:
        raise BadQuery("query is empty")
    if len(tokens) > MOST_TOKENS:
        raise BadQuery(f"query has {len(tokens)} terms, {MOST_TOKENS} are allowed")
    if query.count('"') % 2:
        raise BadQuery('a " is not closed')
    test, rest = _any(tokens)
    if rest:
        raise BadQuery(f"unexpected {rest[0]!r}")
    return test


def _any(tokens: list[str]) -> tuple[Test, list[str]]:
    test, tokens = _all(tokens)
    tests = [test]
    while tokens and tokens[0] == "OR":
        test, tokens = _all(tokens[1:])
        tests.append(test)
    return (lambda note: any(test(note) for test in tests)), tokens


def _all(tokens: list[str]) -> tuple[Test, list[str]]:
    test, tokens = _one(tokens)
    tests = [test]
    while tokens and tokens[0] not in ("OR", ")"):
        test, tokens = _one(tokens[1:] if tokens[0] == "AND" else tokens)
        tests.append(test)
    return (lambda note: all(test(note) for test in tests)), tokens


def _one(tokens: list[str]) -> tuple[Test, list[str]]:
    if not tokens or tokens[0] in ("AND", "OR", ")"):
        raise BadQuery(f"a word is missing before {tokens[0]!r}" if tokens else "a word is missing at the end")
    head, tokens = tokens[0], tokens[1:]
    if head == "NOT":
        test, tokens = _one(tokens)
        return (lambda note: not test(note)), tokens
    if head == "(":
        test, tokens = _any(tokens)
        if not tokens:
            raise BadQuery("a ( is not closed")
        return test, tokens[1:]
    return _word(head.strip('"')), tokens


def _word(word: str) -> Test:
    name, _, value = word.partition(":")
    if name == "type" and value:
        return lambda note: note.type.casefold() == value.casefold()
    if name == "by" and value:
        return lambda note: note.worker == value
    needle = word.casefold()
    return lambda note: needle in note.words or (note.detail is not None and needle in note.detail.casefold())
