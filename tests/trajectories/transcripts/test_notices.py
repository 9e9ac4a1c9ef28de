"""Repository notices in words: every kind that a worker's feed makes has some, and anything else stays as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trajectories.transcripts.notices import WORDS, notice

FEED = Path(__file__).parents[3] / "docker" / "worker" / "notices.py"


def test_every_notice_that_the_feed_makes_has_words() -> None:
    made = set(re.findall(r'tell\(f?"([a-z]+)', FEED.read_text()))
    assert made == set(WORDS)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("pull-7-asked-2", "asked to review pull #7: Lexer"),
        ("pull-9-review-25", "a review of its own pull #9"),
        ("pull-7-conflict-72ee8a-2026-11-29T23:25:12Z", "its own pull #7 is in conflict with the base: Lexer"),
        ("pull-7-merged", "its own pull #7 was merged: Lexer"),
        ("pull-7-<script>", "pull-7-<script>"),
        ("pull-99999999999-merged", "pull-99999999999-merged"),
        (f"pull-{'9' * 5_000}-merged", f"pull-{'9' * 5_000}-merged"),
        ("", ""),
    ],
)
def test_a_notice_names_the_pull(item: str, said: str) -> None:
    assert notice(item, {7: {"title": "Lexer"}, 9: {"title": None}}) == said
