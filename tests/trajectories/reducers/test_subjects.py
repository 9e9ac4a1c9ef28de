"""What a text is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.reducers.subjects import (
    holds_word,
    note_ids,
    paths,
    pull_numbers,
    subject_key,
    text_words,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("numbers in `src/lexer.py:40`, please", ("src/lexer.py",)),
        ("./src//lexer.py and lexer.py.", ("src/lexer.py", "lexer.py")),
        ("(Docs/README.md) vs docs/README.md", ("Docs/README.md", "docs/README.md")),
        ("and/or w/o n/a e.g. i.e. 3/4 2026/11/29", ()),
        ("https://example.com/a/b.py www.example.com/x me@host.org", ()),
        ("version v1.2.3 or 1.27.x, 2.0", ()),
        ("Makefile and src/", ()),
        ("src/a.py,src/b.py;src/a.py", ("src/a.py", "src/b.py")),
        ("../up/one.c /abs/two.c", ("../up/one.c", "abs/two.c")),
        ("файл.py", ()),
    ],
)
def test_paths_are_found_in_the_text(text: str, found: tuple[str, ...]) -> None:
    assert paths(text) == found


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Claiming: the Lexer!", "t:lexer"),
        ("CLAIM: lexer", "t:lexer"),
        ("taking over the lexer from w12", "t:lexer"),
        ("picking up the lexer after w0003, w0003 is gone", "t:lexer"),
        ("Ich übernehme den Lexer", "t:lexer"),
        ("je m'occupe du lexer", "t:lexer"),
        ("Me encargo del lexer", "t:lexer"),
        ("беру на себя lexer", "t:lexer"),
        ("我来做lexer", "t:lexer"),
        ("lexerを担当します", "t:lexer"),
        ("lexer 맡겠습니다", "t:lexer"),
        ("认领词法分析器", "t:词法分析器"),
        ("claiming src/lex.c", "p:src/lex.c"),
        ("reader/html: tables", "t:html reader tables"),
        ("reader/html", "p:reader/html"),
        ("CLAIM claims claimed lexer", "t:lexer"),
        ("I will take: I will lexer", "t:lexer"),
        ("taking over w0003: working on lexer", "t:lexer"),
        ("ＬＥＸＥＲ", "t:lexer"),
        ("🚀 ship", "t:ship"),
        ("🚀", "t:🚀"),
        ("claiming", "t:12"),
        ("", "t:12"),
        ("work on src/a.py and src/b.py", "p:src/a.py"),
    ],
)
def test_a_subject_is_the_first_path_else_the_sorted_words(text: str, key: str) -> None:
    assert subject_key(text, None, 12, {"w0003": 3}) == key


def test_a_delegation_id_goes_before_the_text() -> None:
    assert subject_key("src/a.py", "  Straße-7 ", 1) == "d:strasse-7"
    assert subject_key("src/a.py", "  ", 1) == "p:src/a.py"
    assert subject_key("src/a.py", 7, 1) == "p:src/a.py"


def test_note_ids_and_pull_numbers() -> None:
    assert note_ids("n12, #13 and Note 14; not in12 or x#15 or n16a") == (12, 13, 14)
    assert pull_numbers("#7 and pull 8, PR 9, !10, PR #11; not a#12 or spr 13") == (7, 8, 9, 10, 11)


def test_a_word_stands_alone() -> None:
    assert holds_word("the lexer, please", "lexer")
    assert holds_word("my-lexer-2", "lexer")
    assert not holds_word("lexers relexer", "lexer")
    assert not holds_word("anything", "")


@given(st.text(max_size=300))
def test_any_text_in_any_language_has_a_subject(text: str) -> None:
    key = subject_key(text, None, 5)
    assert key[:2] in ("p:", "t:") and len(key) > 2
    assert subject_key(text, None, 5) == key
    note_ids(text), pull_numbers(text)


@given(st.lists(st.sampled_from(["lexer", "parser", "numbers", "ok"]), min_size=1, max_size=6), st.randoms())
def test_the_order_of_words_is_no_part_of_a_subject(words: list[str], chance) -> None:
    shuffled = words[:]
    chance.shuffle(shuffled)
    assert text_words(" ".join(words)) == text_words(", ".join(shuffled))
