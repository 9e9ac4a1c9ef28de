"""Filters of the search page and of delivery pips: text stays text, marks and squares are all the markup there is."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from runs.templatetags.agent_text import visible

register = template.Library()


@register.filter
def snippet(hit: dict[str, Any]) -> SafeString:
    """The text around a hit, each hit in <mark>; every piece is made visible and escaped by itself."""
    pieces = [("<mark>", piece, "</mark>") if is_hit else ("", piece, "") for piece, is_hit in hit["pieces"]]
    parts = format_html_join(
        "",
        "{}{}{}",
        ((mark_safe(a), visible(text), mark_safe(b)) for a, text, b in pieces),  # noqa: S308 - the two tags above
    )
    return format_html("{}{}{}", "", parts, "…" if hit["cut"] else "")
