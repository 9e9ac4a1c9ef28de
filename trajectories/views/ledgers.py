"""`/runs/{run}/claims` and `/pulls`: a line each on the time of the run, filtered, a hundred at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate
from runs.models import Run
from trajectories import memory, readings
from trajectories.newest import Newest, Row
from trajectories.readings.claims import SORTS as CLAIM_SORTS
from trajectories.readings.claims import over_time
from trajectories.readings.merges import FATES, fates
from trajectories.readings.pulls import FILTERS
from trajectories.readings.pulls import SORTS as PULL_SORTS
from trajectories.readings.tools import length
from trajectories.views.team import newest_of

A_PAGE = 100
NARROWING = ("q", "status", "fate", "worker")
WORDS = {
    "claims": {
        "title": "Claims",
        "find": "Filter by text or subject",
        "no_match": "No claim matches.",
        "none": "Nobody has claimed anything yet.",
    },
    "pulls": {
        "title": "Pulls",
        "find": "Filter by number, title or branch",
        "no_match": "No pull matches.",
        "none": "Nobody has opened a pull yet.",
    },
}


@require_safe
@gate("viewer")
@memory.used()
def claims(request: HttpRequest, slug: str) -> HttpResponse:
    """Who claimed what, how long it was held and what became of it."""
    run, found = newest_of(request, slug)
    asked = _asked(request, "status")
    told = readings.claims(found, status=asked["status"], **_narrowed(asked))
    context = {"sorts": CLAIM_SORTS, "charts": {"ledger": over_time(found)}}
    return _ledger(request, "claims", run, found, told | context, readings.claim_line)


@require_safe
@gate("viewer")
@memory.used()
def pulls(request: HttpRequest, slug: str) -> HttpResponse:
    """What became of every pull, with the reviews on the way."""
    run, found = newest_of(request, slug)
    asked = _asked(request, "fate")
    told = readings.pulls(found, fate=asked["fate"], **_narrowed(asked))
    context = {"sorts": PULL_SORTS, "more": FILTERS[len(FATES) :], "charts": {"fates": fates(found)}}
    return _ledger(request, "pulls", run, found, told | context, readings.pull_line)


def _asked(request: HttpRequest, kind: str) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in (kind, "q", "sort", "worker")}


def _narrowed(asked: dict[str, str]) -> dict[str, Any]:
    """What both ledgers are narrowed by; a worker that is none narrows nothing."""
    number = readings.worker(asked["worker"])
    return {"worker": number if isinstance(number, int) else None, "words": asked["q"], "sort": asked["sort"]}


def _ledger(
    request: HttpRequest,
    name: str,
    run: Run,
    found: Newest,
    context: dict[str, Any],
    line: Callable[[Newest, Row], Any],
) -> HttpResponse:
    page = Paginator(context["lines"], A_PAGE).get_page(request.GET.get("page"))
    shown = {"lines": [line(found, row) for row in page.object_list], "page": page, "asked": request.GET.dict()}
    shown |= {
        "length_s": length(found),
        "words": WORDS[name],
        "sheet": f"ledger.{name}",
        "narrowed": any(map(request.GET.get, NARROWING)),
    }
    return render(request, f"trajectories/{name}.html", {**context, **shown, "run": run, "tab": name, "t0": found.t0})
