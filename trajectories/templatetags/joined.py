"""Filters of the joined pages: workers' names, clocks of the run, links to evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs import figures
from runs.templatetags.agent_text import visible
from trajectories.events import millis
from trajectories.joined import Moment
from trajectories.readings.collisions import subject_of
from trajectories.readings.sentences import took
from trajectories.readings.tools import evidence
from trajectories.sources.gitea import SWEPT
from trajectories.words import marks

SUBJECTS = {"d:": "by its delegation id", "p:": "by the path it names", "t:": "by its words"}
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
def each_once(refs: Iterable[str]) -> list[tuple[str, int]]:
    """(reference, how often it is named) in order of the first time: one event can prove two things of a row, as its opening and its end."""
    return list(Counter(refs).items())


@register.filter
def subject_text(key: str | None) -> str:
    """What a claim is about, without the letter that says how it is known."""
    return subject_of(key or "")


@register.filter
def subject_kind(key: str | None) -> str:
    """How the subject of a claim is known."""
    return SUBJECTS.get((key or "")[:2], "")


@register.filter
def words(status: str) -> str:
    """`changes_requested` as people write it."""
    return status.replace("_", " ")


@register.filter
def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


@register.filter
def lasted(seconds: float | None) -> str:
    """A span of time as people say it: `41 s`, `4 min 10 s`."""
    return took(seconds)


@register.simple_tag
def proof(slug: str, told: dict[str, Any] | None) -> SafeString:
    """The link to the events behind a row: two joined rings and their number. Nothing where there are none."""
    if not told or not told.get("refs_count") or not told.get("proof"):
        return SafeString("")
    count = told["refs_count"]
    label = f"{count:,} piece{'' if count == 1 else 's'} of evidence"
    mark = '<a class="ev" href="/runs/{}/{}" aria-label="{}"><svg class="g" aria-hidden="true"><use href="#g-ev"/></svg>{}</a>'
    return format_html(mark, slug, told["proof"], label, f"{count:,}")


@register.simple_tag
def row_proof(slug: str, table: str, row: dict[str, Any]) -> SafeString:
    """`proof` of a row of the State itself."""
    return proof(slug, evidence(table, row))


@register.simple_tag
def whose(slug: str, worker: Any, name: str = "") -> SafeString:
    """A worker as a link to its page; somebody outside the team, or nobody, as a word."""
    if type(worker) is int:
        return format_html('<a class="w" href="/runs/{}/workers/{}">{}</a>', slug, worker, name or worker_name(worker))
    return format_html('<span class="w">{}</span>', visible(name or worker_name(worker)))


@register.simple_tag
def cut(shown: int, total: int | list[Any], href: str = "") -> SafeString:
    """What a list of at most `shown` lines leaves out, as a line below it; nothing where it leaves nothing out."""
    count = total if isinstance(total, int) else len(total)
    if count <= shown:
        return SafeString("")
    rest = format_html('; <a class="id" href="{}">the export has all</a>', href) if href else SafeString("")
    return format_html('<p class="sub more">{} of {} shown{}.</p>', f"{shown:,}", f"{count:,}", rest)


@register.filter
def review_word(review: dict[str, Any]) -> str:
    """The verdict of a review that stands; else what became of it. Only approvals are withdrawn: a request for changes is lifted."""
    if review["status"] == "standing":
        return str(review["verdict"])
    lifted = review["verdict"] == "changes_requested" and review["status"] in ("withdrawn", "dismissed")
    return "lifted" if lifted else str(review["status"])


@register.filter
def seen_by_sweep(reviews: list[dict[str, Any]]) -> str:
    """The sentence about reviews whose fate no webhook tells; empty where there is none."""
    return SWEPT if any(review["status"] in ("dismissed", "stale", "withdrawn") for review in reviews) else ""
