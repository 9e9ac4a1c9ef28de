"""Agents claim in whatever words they like: the sub-task is what counts."""

from __future__ import annotations

import pytest

from tests.trajectories.reducers.team import Team

PHRASES = [
    "gonna tackle {}",
    "{} -> me",
    "assigning {} to myself",
    "let me have {}",
    "J'attaque {}",
    "Voy con {}",
    "mach ich: {}",
    "начал {}",
    "{}，我处理",
    "will look into {} right away",
    "on to {} next",
    "Ownership: {} (w0002)",
    "🙋 {}",
    "[CLAIM] {}",
    "**{}**, mine",
    "I am going to implement {}",
    "porting {} today",
    "Je me charge de {}",
    "Ich kümmere mich um {}",
    "{} üzerinde çalışıyorum",
    "Jag tar {}",
    "{}は私がやります",
    "{} 제가 할게요",
    "Reserving {} for the next hour",
]


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize(
    ("subject", "id"), [("reader/markdown: nested lists", "reader-markdown-nested-lists"), ("the lexer", "lexer")]
)
@pytest.mark.parametrize("both_name_no_id", [True, False])
def test_a_claim_overlaps_in_whatever_words(phrase: str, subject: str, id: str, both_name_no_id: bool) -> None:
    team = Team()
    one = team.claims(1, f"CLAIM {subject}", None if both_name_no_id else id)
    other = team.claims(2, phrase.format(subject))
    assert team.row("claims", other)["overlaps"] == [one]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("reader/html: tables", "writer/html: tables"),
        ("reader/html: tables", "reader/html: nested lists"),
        ("nested lists part 2", "nested lists part 3"),
        ("src/lexer.c", "src/lexer_test.c"),
        ("lexer", "lexer tests"),
        ("词法分析器", "语法分析器"),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_what_only_sounds_alike_does_not_overlap(one: str, other: str, named: bool) -> None:
    team = Team()
    team.claims(1, f"CLAIM {one}", one.replace(" ", "-") if named else None)
    team.claims(3, f"CLAIM {other} of old", f"{other.replace(' ', '-')}-old" if named else None)
    claim = team.claims(2, f"taking {other}")
    assert 1 not in team.row("claims", claim)["overlaps"]


AREAS = [
    "btree",
    "pager",
    "planner",
    "lexer",
    "shell",
    "vacuum",
    "cache",
    "catalog",
    "executor",
    "views",
    "triggers",
    "window",
    "types",
]
PARTS = [
    "overflow",
    "rollback",
    "limits",
    "casts",
    "quoting",
    "nesting",
    "aliases",
    "locking",
    "ordering",
    "rounding",
    "defaults",
    "statistics",
    "wildcards",
    "savepoints",
    "recursion",
    "encoding",
    "comments",
    "duplicates",
    "affinity",
    "checkpoints",
    "splits",
    "keys",
    "zones",
    "files",
    "values",
    "search",
    "text",
]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("types text rollback halted", "carrying types text rollback onwards", True),
        ("types text rollback halted", "types text overflow onwards", False),
        ("types text rollback 2", "types text rollback onwards", False),
        ("halted odd words rollback", "onwards rollback many other", False),
    ],
)
def test_odd_words_on_both_sides_tell_nothing_apart_once_the_names_of_sub_tasks_are_known(
    one: str, other: str, same: bool
) -> None:
    team = Team()
    first = team.claims(1, one)
    alone = team.claims(2, other)
    for number, part in enumerate(PARTS):
        area = AREAS[number % len(AREAS)]
        team.later(1).claims(3, f"CLAIM {part} of {area}", f"{area}-{part}")
    assert team.row("claims", alone)["overlaps"] == []
    known = team.later(5).claims(2, f"{other} then")
    assert (first in team.row("claims", known)["overlaps"]) == same
