from __future__ import annotations

import pytest

from board.admission import CAPS, admit, is_placeholder


def patch(evidence: str = "pytest -k lexer: 12 passed") -> dict[str, str]:
    return {"type": "PATCH_SUMMARY", "text": f"files= lexer.py | idea= strings may nest | evidence= {evidence}"}


def test_a_note_within_its_cap_is_admitted() -> None:
    assert all(admit({"type": kind, "text": "x" * cap}) is None for kind, cap in CAPS.items() if cap == 100)
    assert admit(patch()) is None


def test_a_note_too_long_is_refused_with_both_figures_and_not_cut() -> None:
    assert admit({"type": "CLAIM", "text": "x" * 131}) == "text is 131 characters, CLAIM allows 100"
    assert admit({"type": "PATCH_SUMMARY", "text": "x" * 301}) == "text is 301 characters, PATCH_SUMMARY allows 300"


def test_characters_are_counted_not_bytes() -> None:
    assert admit({"type": "FACT", "text": "é" * 100}) is None


@pytest.mark.parametrize("asked", [{}, {"type": "IDEA", "text": "x"}, {"type": ["CLAIM"], "text": "x"}])
def test_an_unknown_type_is_refused_with_the_known_ones(asked: dict[str, object]) -> None:
    assert admit(asked) == "type must be one of OBSERVED, FACT, FAIL, CLAIM, PATCH_SUMMARY"


@pytest.mark.parametrize("text", ["", "  \n", None, 7])
def test_a_note_without_text_is_refused(text: object) -> None:
    assert admit({"type": "FACT", "text": text}) == "text is empty"


@pytest.mark.parametrize("text", ["lexer done", "files= a | evidence= b | idea= c", "idea= x | evidence= y"])
def test_a_patch_summary_without_its_form_is_refused(text: str) -> None:
    assert admit({"type": "PATCH_SUMMARY", "text": text}) == (
        "PATCH_SUMMARY needs the form: files= .. | idea= .. | evidence= .."
    )


def test_an_empty_part_of_a_patch_summary_is_named() -> None:
    assert admit({"type": "PATCH_SUMMARY", "text": "files= | idea= x | evidence= 3 passed"}) == "files= is empty"
    assert admit(patch("  ")) == "evidence= is empty"


@pytest.mark.parametrize(
    "evidence", ["tbd", "TBD.", "should work", "it should pass now", "n/a", "...", "not tested yet"]
)
def test_placeholder_evidence_is_refused(evidence: str) -> None:
    assert admit(patch(evidence)) == (f"evidence {evidence!r} is a placeholder: name the command and what it printed")


@pytest.mark.parametrize("evidence", ["make test: 41 passed, 3 not run", "cmp out.txt ref.txt: equal", "ok 12 of 12"])
def test_evidence_that_was_seen_is_admitted(evidence: str) -> None:
    assert not is_placeholder(evidence)


def test_a_detail_too_long_and_a_detail_that_is_no_text_are_refused() -> None:
    assert (
        admit({"type": "FACT", "text": "x", "detail": "y" * 20_001})
        == "detail is 20001 characters, the board allows 20000"
    )
    assert admit({"type": "FACT", "text": "x", "detail": {}}) == "detail must be text"
