"""A pull's words say which pulls it mends, in many forms; and which it only knows of."""

from __future__ import annotations

import pytest

from trajectories.reducers.contradictions import mended


@pytest.mark.parametrize(
    "words",
    [
        "Fixes #12.",
        "bugfix for #12",
        "Reverts !12",
        "Repairs what pull 12 left behind.",
        "Rolling back PR #12 for now",
        "#12 broke the sample with tabs",
        "Since #12 the empty file crashes; this handles it.",
        "Backs out #12 again.",
        "Behebt einen Fehler aus #12",
        "Corrige #12",
        "Исправляет #12",
        "修复 #12",
    ],
)
def test_what_a_pull_mends_is_read_from_its_words(words: str) -> None:
    assert mended("lexer: tabs", f"What it does\n{words}") == (12,)
    assert mended(words, "") == (12,)


@pytest.mark.parametrize(
    "words",
    [
        "Depends on #12.",
        "Uses the prefix table of #12.",
        "After #12 comes this.",
        "Not a fix of #12.",
        "Unrelated to the bug in #12.",
        "> Fixes #12",
        "Fixes the lexer. The tests are those of #12.",
        "Handles bug reports; see the default in #12a",
    ],
)
def test_a_pull_that_is_only_named_is_not_mended(words: str) -> None:
    assert mended("lexer: tabs", words) == ()


def test_of_several_pulls_only_those_beside_the_word_are_mended() -> None:
    assert mended("", "Fixes #3 and #4, built on #5.") == (3,)
    assert mended("", "Fixes #3. Fixes #4, too.") == (3, 4)
