"""What is asked and what is found in a text: words, parts of words, phrases, any writing; hits stand where they are in the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.models.packing import unpack
from trajectories.search import Unclear, terms
from trajectories.search.answering import marked
from trajectories.search.documents import Document
from trajectories.search.folding import composed, fold, places
from trajectories.search.grams import may_hold, signature
from trajectories.search.parts import columns, packed, unpacked
from trajectories.templatetags.searching import snippet


def found(words: str, text: str, whole: bool = False) -> bool:
    folded = fold(composed(text))
    return all(term.is_in(folded) != term.absent for term in terms(words, whole))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("lexer", "CLAIM: Lexer"),
        ("exe", "the lexer"),
        ("lexer tables", "tables of the lexer"),
        ('"of the lexer"', "tables of  the\nlexer"),
        ("go", "we go on"),
        ("解析", "我来解析器"),
        ("解", "我来解析器"),
        ("パーサ", "新しいパーサを書く"),
        ("파서", "새로운 파서를"),
        ("straße", "STRASSE 12"),
        ("ｌｅｘｅｒ", "lexer"),
        ("café", "Cafe\u0301 au lait"),
        ("ПАРСЕР", "новый парсер"),
        ("🙂", "done 🙂"),
        ("src/lex.c", "touches src/lex.c:12"),
        ("lexer -parser", "the lexer alone"),
    ],
)
def test_it_is_found(words: str, text: str) -> None:
    assert found(words, text)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("go", "the good one"),
        ("lexer tables", "the lexer"),
        ("lexer -parser", "lexer and parser"),
        ('"lexer of"', "of the lexer"),
        ("解析", "解 析"),
    ],
)
def test_it_is_not_found(words: str, text: str) -> None:
    assert not found(words, text)


def test_whole_words_only_where_that_is_asked() -> None:
    assert found("lex", "the lexer")
    assert not found("lex", "the lexer", whole=True)
    assert found("lex", "the lex.", whole=True)
    assert found("解析", "我来解析器", whole=True)


@pytest.mark.parametrize("words", ["", "   ", "-lexer", '""', "\x00"])
def test_a_query_without_a_word_is_refused(words: str) -> None:
    with pytest.raises(Unclear):
        terms(words)


@given(st.text(max_size=60))
def test_places_lead_from_the_folded_text_to_the_original(text: str) -> None:
    text = composed(text)
    folded, origin = places(text)
    assert folded == fold(text)
    assert len(origin) == len(folded)
    assert origin == sorted(origin)
    assert all(0 <= at < len(text) for at in origin)


@given(st.text(max_size=80), st.data())
def test_the_bitmap_never_hides_what_is_there(text: str, data: st.DataObject) -> None:
    folded = fold(composed(text))
    bitmap = signature(folded)
    start = data.draw(st.integers(0, len(folded)))
    end = data.draw(st.integers(start, len(folded)))
    if folded[start:end]:
        assert may_hold(bitmap, folded[start:end])


def test_the_bitmap_says_no_to_most_of_what_is_not_there() -> None:
    bitmap = signature(fold("the quick brown fox jumps over the lazy dog " * 20))
    assert sum(may_hold(bitmap, word) for word in ("lexer", "解析器", "parser", "table", "merge")) == 0


def test_a_part_comes_back_as_it_was_put_away() -> None:
    docs = [
        Document(n, 1000 * n, "note", n % 3, None if n % 3 else "gitea:bob", f"text {n % 4} 解析") for n in range(1, 50)
    ]
    part, texts = columns(docs)
    row = packed(docs)
    again = unpacked(row["body"])
    assert again.n.tolist() == [doc.n for doc in docs]
    assert again.at.tolist() == part.at.tolist()
    assert [again.folded(int(text)) for text in again.text] == [fold(doc.text) for doc in docs]
    assert len(texts) == 4
    assert again.actors == ["gitea:bob"]
    assert b"text 3" in unpack(row["shown"])


def test_hits_are_marked_in_the_original_and_long_texts_are_cut_around_the_first() -> None:
    pieces, cut = marked("x" * 300 + " the STRASSE and the Straße", terms("straße"))
    assert cut
    assert [text for text, hit in pieces if hit] == ["STRASSE", "Straße"]
    assert len("".join(text for text, _ in pieces)) < 330


def test_what_is_left_out_before_and_after_is_said_and_no_word_is_cut_at_the_beginning() -> None:
    text = " ".join(f"word{k}" for k in range(200))
    pieces, cut = marked(text, terms("word100"))
    assert cut
    assert pieces[0] == pieces[-1] == ("…", False)
    assert pieces[1][0].split()[0] in text.split()


def test_markup_stays_text() -> None:
    pieces, _ = marked("<b>lexer</b>", terms("lexer"))
    assert pieces == [("<b>", False), ("lexer", True), ("</b>", False)]


def test_line_ends_however_many_are_one_point_in_a_snippet() -> None:
    assert snippet({"pieces": [("## What\n\nlists \n", False), ("the", True)]}) == "## What · lists · <mark>the</mark>"
