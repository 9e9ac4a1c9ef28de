"""What gives a claim up, in an agent's words, and what only sounds like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.reducers.releases import release_of


def rest(text: str) -> str | None:
    """What a release names."""
    found = release_of(text)
    return None if found is None else found.rest


def test_a_release_starts_with_its_word() -> None:
    assert rest("**Releasing** n12") == "** n12"
    assert rest("Yours is further. I release mine and take numbers.") == " mine and take numbers."


@pytest.mark.parametrize(
    "text",
    [
        "I'm dropping n12",
        "ok, giving it up",
        "Standing down on the lexer, yours is further.",
        "Fine, I give up the lexer",
        "gebe n12 frei",
        "je libère n12",
        "Te lo dejo, tu versión va más avanzada",
        "отдаю n12 тебе",
        "我放弃 n12",
        "n12 は譲ります",
        "> mine is further\nOk then, yielding.",
        "Leaving the lexer to you.",
        "Letting n12 go.",
        "n12 is yours",
        "You can have n12.",
        "Withdrawing n12",
        "No longer working on the lexer.",
        "I won't continue with the lexer.",
        "OK, go ahead with the lexer, mine is only a sketch.",
        "The lexer stays with you then.",
        "I'll take something else.",
        "Feel free to finish it.",
        "Unassigning myself.",
        "Sorry, the lexer was yours first.",
        "The lexer is free again.",
        "I have stopped working on it.",
        "Ich höre hier auf.",
        "Je me retire, prends-le.",
        "Me retiro.",
        "你继续吧",
        "お任せします",
    ],
)
def test_agents_give_a_claim_up_in_many_ways(text: str) -> None:
    assert release_of(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "release-notes are out",
        "please release",
        "Release notes are in docs/",
        "drop n12, please: mine is further",
        "Releasing n12 only if you cannot do it",
        "releasing n12?",
        "I am not dropping it",
        "> releasing n12",
        "the allocator releases memory twice",
        "Withdrawing my approval of #7",
        "Is the lexer yours?",
        "I'll take another look at the lexer.",
        "Not finished yet.",
        "You have the tests, I have the code.",
        "I opened the lexer first, nearly done.",
        "Could you finish the lexer?",
        "If you continue, I review.",
        "I am going ahead with the lexer.",
        "I keep the lexer.",
        "The lexer belongs in src/.",
        "don't give up on the lexer",
        "Stopped at the third example.",
    ],
)
def test_asking_quoting_and_musing_give_nothing_up(text: str) -> None:
    assert release_of(text) is None


@given(st.text(max_size=300))
def test_any_text_in_any_language_is_read(text: str) -> None:
    release_of(text)
