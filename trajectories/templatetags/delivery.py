"""`{% delivered moment %}`: the delivery pips of a note or message on a joined page."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from trajectories.joined import Moment
from trajectories.newest import newest
from trajectories.transcripts.delivered import Delivered, Deliveries
from trajectories.transcripts.reach import STATES

register = template.Library()
_NOTE = re.compile(r" note n(\d{1,18})$")


_ITEM = re.compile(r"(\d{1,9})-(\d{1,9})-(\d{1,9})")


@register.filter
def transcript_url(id: str, slug: str) -> str:
    """The place of an ACP item `worker-life-item` in its worker's transcript; empty for another id."""
    found = _ITEM.fullmatch(id)
    return f"/runs/{slug}/workers/{found[1]}/transcript?at={found[2]}-{found[3]}" if found else ""


@register.simple_tag(takes_context=True)
def delivered(context: Any, moment: Moment) -> SafeString | str:
    """Pips and words where the line is a note or message and the run's workers tell of their inboxes; else nothing."""
    if moment.kind not in ("note.posted", "message.posted"):
        return ""
    told = _of_run(context)
    if not told.told:
        return ""
    number = _NOTE.search(moment.what)
    if moment.kind == "note.posted":
        found = told.note(int(number[1]), moment.who) if number else None
    else:
        found = told.message(moment.id.partition("@")[0])
    return _pips(found) if found else ""


def _of_run(context: Any) -> Deliveries:
    """Read once a page."""
    run = context["run"]
    if not hasattr(run, "_deliveries"):
        workers = newest(run).tables["workers"].values()
        run._deliveries = Deliveries(run.pk, {row["worker"]: row["board_seen"] or 0 for row in workers})
    return run._deliveries  # type: ignore[no-any-return]


def _pips(found: Delivered) -> SafeString:
    squares = format_html_join("", '<i class="{}"></i>', (("on" if k < found.furthest else "",) for k in range(4)))
    title = ", ".join(f"{state} {count} of {found.of}" for state, count in zip(STATES, found.counts, strict=True))
    return format_html(
        '<span class="pipped muted sm" title="{}"><span class="pips" aria-hidden="true">{}</span> {}</span>',
        title,
        squares,
        found.words(),
    )
