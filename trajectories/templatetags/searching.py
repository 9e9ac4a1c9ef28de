"""Filters of the search page and of delivery pips: text stays text, marks and squares are all the markup there is."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from runs.templatetags.agent_text import visible

register = template.Library()
_ENDS = re.compile(r"[ \t\r]*\n\s*")  # of lines, however many are blank


@register.filter
def snippet(hit: dict[str, Any]) -> SafeString:
    """The text around a hit, each hit in <mark>; every piece is made visible and escaped by itself."""
    pieces = [("<mark>", piece, "</mark>") if is_hit else ("", piece, "") for piece, is_hit in hit["pieces"]]
    return format_html_join(
        "",
        "{}{}{}",
        # The two tags above; a line's end would read as a blank, and what follows as the same sentence.
        ((mark_safe(a), visible(_ENDS.sub(" · ", text)), mark_safe(b)) for a, text, b in pieces),  # noqa: S308
    )
