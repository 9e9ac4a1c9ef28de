"""What every template may use: glyphs, roles, origin tags and figures written as the pages write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.forms import Form
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from runs import figures
from runs.access import Caller
from runs.models import Run
from runs.modules import graph
from runs.templatetags.agent_text import agent_text

register = template.Library()
register.filter("agent_text", agent_text)
register.filter("short_number", figures.short_number)
register.filter("clock", figures.clock)
register.filter("money", figures.money)
register.filter("per_million", figures.per_million)
register.filter("per_cent", figures.per_cent)
register.filter("in_words", figures.span)
register.filter("group_digits", lambda value: f"{value:,}" if isinstance(value, int) else value)
register.filter("points", figures.points)
register.filter("tone", figures.tone)
register.filter("harness_words", figures.harness_words)
register.filter("clock_or", lambda value, other: other if value is None else figures.clock(value))


@register.simple_tag
def glyph(name: str, tone: str = "quiet") -> SafeString:
    """`{% glyph "merged" "good" %}`: a decoration beside a word, never the word itself."""
    return format_html('<svg class="g c-{}" aria-hidden="true"><use href="#g-{}"/></svg>', tone, name)


@register.simple_tag
def modules(entry: str) -> SafeString:
    """`{% modules "js/pages/run_replay.js" %}` in the head: everything the module imports is asked for at once."""
    return format_html_join("\n", '<link rel="modulepreload" href="{}">', ((static(name),) for name in graph(entry)))


@register.filter
def utc(moment: datetime | None) -> SafeString | str:
    """A moment on the calendar, with its zone: teams are read from every one. `unknown` for None."""
    if moment is None:
        return "unknown"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), figures.calendar(moment))


@register.filter
def may(caller: Caller | None, role: str) -> bool:
    """True if the caller holds `role` or above."""
    return bool(caller) and caller.may(role)


@register.filter
def origin_tags(run: Run) -> list[str]:
    """Where a run comes from and what in it is not the real thing."""
    return figures.origin_tags(run)


@register.filter
def get(mapping: dict[str, Any], key: str) -> Any:
    """`mapping[key]`, or None."""
    return mapping.get(key) if mapping else None


@register.filter
def label_of(form: Form, name: str) -> str:
    """What a person calls the field."""
    return str(form.fields[name].label) if name in form.fields else name
