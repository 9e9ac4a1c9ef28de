"""Filters of the joined pages: workers' names, clocks of the run, links to evidence."""

from __future__ import annotations

from urllib.parse import quote

from django import template

from runs import figures
from trajectories.events import millis
from trajectories.joined import Moment
from trajectories.views.why import marks

register = template.Library()
register.filter("mark", marks)


@register.filter
def worker_name(number: int | None) -> str:
    """`w0017`; `unknown` for None."""
    return f"w{number:04d}" if isinstance(number, int) else "unknown" if number is None else str(number)


@register.filter
def run_clock(time: str | None, zero: int | None) -> str:
    """An ISO time as the clock of the run, which starts at `zero` (ms); `unknown` if either is missing."""
    return figures.clock((millis(time) - zero) / 1000) if time and zero is not None else "unknown"


@register.filter
def ref_url(ref: str, slug: str) -> str:
    """The page of an evidence reference `source:id#part`."""
    source, _, rest = ref.partition(":")
    return f"/runs/{slug}/evidence/{quote(source)}/{quote(rest.partition('#')[0], safe='~@')}"


@register.filter
def evidence_url(moment: Moment, slug: str) -> str:
    """The page of the delivery behind a line."""
    return f"/runs/{slug}/evidence/{moment.source}/{quote(moment.id, safe='~@')}"


@register.filter
def short_id(id: str) -> str:
    """A long id cut in the middle: `f7deb8eb…c686`."""
    return id if len(id) <= 26 else f"{id[:14]}…{id[-6:]}"


@register.filter
def words(status: str) -> str:
    """`changes_requested` as people write it."""
    return status.replace("_", " ")


@register.filter
def yes_no(conflict: str) -> str:
    """The conflict field in words."""
    return {"true": "yes", "false": "no"}.get(conflict, "unknown")
