from __future__ import annotations

import pytest

from board.rules import Note
from board.search import BadQuery, compile_query

NOTES = [
    Note(1, "CLAIM", "w0001", "lexer strings", 0),
    Note(2, "FACT", "w0002", "the parser keeps tabs", 0, detail="seen in lexer.py"),
    Note(3, "FAIL", "w0001", "parser drops comments", 0, delegation_id="t-07"),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lexer", [1, 2]),
        ("LEXER strings", [1]),
        ("parser AND NOT tabs", [3]),
        ("strings OR comments", [1, 3]),
        ("parser (tabs OR comments)", [2, 3]),
        ('"keeps tabs"', [2]),
        ("type:fail", [3]),
        ("by:w0001 NOT type:CLAIM", [3]),
        ("t-07", [3]),
        ("NOT NOT lexer", [1, 2]),
        ("nothing", []),
    ],
)
def test_a_query_finds_notes(query: str, found: list[int]) -> None:
    test = compile_query(query)
    assert [note.note for note in NOTES if test(note)] == found


@pytest.mark.parametrize("query", ["", "(", ")", "a OR", "AND a", "(a", "a)", '"a', "NOT", "x " * 101])
def test_a_broken_query_is_refused_in_words(query: str) -> None:
    with pytest.raises(BadQuery, match=r"\w"):
        compile_query(query)
