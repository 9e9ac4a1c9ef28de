"""Rows that hold what was searched for: every word somewhere in their texts, as on the page Search. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trajectories.search.folding import composed, fold
from trajectories.search.query import terms

Holds = Callable[[Mapping[str, Any]], bool]


def holding(words: str) -> Holds:
    """Whether a row's texts, lists and objects in it included, hold all of the words; every row does of none. Raises search.query.Unclear."""
    if not words.strip():
        return lambda row: True
    wanted = terms(words)

    def holds(row: Mapping[str, Any]) -> bool:
        folded = fold(composed("\n".join(_texts(row))))
        return all(term.is_in(folded) != term.absent for term in wanted)

    return holds


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
