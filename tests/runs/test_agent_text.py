"""What agents write is shown, never obeyed. The same table holds the twin in the browser to the same answers."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from runs.templatetags.agent_text import visible

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "agent_text.json").read_text())


@pytest.mark.parametrize(("given", "shown"), [(case["given"], case["shown"]) for case in CASES])
def test_hidden_things_become_visible(given: str, shown: str) -> None:
    assert visible(given) == shown


@given(st.text())
def test_nothing_left_can_move_hide_or_recolour(text: str) -> None:
    shown = visible(text)
    kinds = {unicodedata.category(c) for c in shown if c not in "\n\t"}
    assert "Cc" not in kinds and "Cs" not in kinds
    assert not any(
        unicodedata.bidirectional(c) in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"} for c in shown
    )


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])).filter(lambda t: visible(t) == t))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == text


def test_template_escapes_after_making_visible() -> None:
    page = Template("{% load agent_text %}{{ text|agent_text }}").render(Context({"text": "<b>\x1b[31m\u202e"}))
    assert page == "&lt;b&gt;␛[31m⟨U+202E⟩"
