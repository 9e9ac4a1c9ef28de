"""`/runs/{run}/claims` and `/pulls`: a line each on the time of the run, filtered, a hundred at a time."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate
from trajectories import readings
from trajectories.readings.claims import SORTS as CLAIM_SORTS
from trajectories.readings.claims import over_time
from trajectories.readings.pulls import FILTERS as FATES
from trajectories.readings.pulls import SORTS as PULL_SORTS
from trajectories.views.team import newest_of

A_PAGE = 100


@require_safe
@gate("viewer")
def claims(request: HttpRequest, slug: str) -> HttpResponse:
    """Who claimed what, how long it was held and what became of it."""
    run, found = newest_of(request, slug)
    asked, worker = _asked(request, "status")
    told = readings.claims(found, status=asked["status"], worker=worker, words=asked["q"], sort=asked["sort"])
    page = Paginator(told["lines"], A_PAGE).get_page(request.GET.get("page"))
    lines = [readings.claim_line(found, row) for row in page.object_list]
    context = {
        **told,
        "lines": lines,
        "page": page,
        "asked": asked,
        "sorts": CLAIM_SORTS,
        "charts": {"ledger": over_time(found)},
    }
    return render(request, "trajectories/claims.html", {"run": run, "tab": "claims", "t0": found.t0, **context})


@require_safe
@gate("viewer")
def pulls(request: HttpRequest, slug: str) -> HttpResponse:
    """What became of every pull, with the reviews on the way."""
    run, found = newest_of(request, slug)
    asked, worker = _asked(request, "fate")
    told = readings.pulls(found, fate=asked["fate"], worker=worker, words=asked["q"], sort=asked["sort"])
    page = Paginator(told["lines"], A_PAGE).get_page(request.GET.get("page"))
    lines = [readings.pull_line(found, row) for row in page.object_list]
    more = [
        name for name in FATES if name not in told["fates"] and name in ("withdrawn", "unreviewed", "by its author")
    ]
    charts = {"fates": readings.team(found)["fates"]}
    context = {
        **told,
        "lines": lines,
        "page": page,
        "asked": asked,
        "sorts": PULL_SORTS,
        "more": more,
        "charts": charts,
    }
    return render(request, "trajectories/pulls.html", {"run": run, "tab": "pulls", "t0": found.t0, **context})


def _asked(request: HttpRequest, kind: str) -> tuple[dict[str, Any], int | None]:
    """The filter as it was asked for, and the worker in it if it is one."""
    asked = {name: request.GET.get(name, "") for name in (kind, "q", "sort", "worker")}
    number = readings.worker(asked["worker"]) if asked["worker"] else None
    return asked, number if isinstance(number, int) else None
