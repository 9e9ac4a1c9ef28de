"""What the pages Team, Claims, Behaviours and Summary say, as they say it."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.errors import HttpError

from runs.access import visible_run
from trajectories import readings
from trajectories.api.answers import answer
from trajectories.baselines import baseline_summary
from trajectories.newest import newest
from trajectories.pricing import priced_one
from trajectories.readings.claims import FILTERS, SORTS
from trajectories.readings.pulls import FILTERS as FATES
from trajectories.readings.pulls import SORTS as PULL_SORTS
from trajectories.summary import summarise

router = Router()


@router.get("runs/{run}/team")
def team(request: HttpRequest, run: str) -> HttpResponse:
    """Who trusts whom, who integrates, fates of pulls, recovery chains, collisions and waste, with references."""
    return answer(readings.team(newest(visible_run(request, run))))


@router.get("runs/{run}/team/{author}/{reviewer}")
def pair(request: HttpRequest, run: str, author: str, reviewer: str) -> HttpResponse:
    """Every review one worker gave another."""
    found = newest(visible_run(request, run))
    told = readings.pair(found, readings.worker(author), readings.worker(reviewer))
    if told is None:
        raise Http404("Nothing is known between the two in this run.")
    return answer(told)


@router.get("runs/{run}/behaviours")
def behaviours(request: HttpRequest, run: str) -> HttpResponse:
    """Behaviours: first seen, count, evidence, and the team size at which the paper saw each."""
    return answer(readings.behaviours(newest(visible_run(request, run))))


@router.get("runs/{run}/summary")
def summary(request: HttpRequest, run: str) -> HttpResponse:
    """The run in plain sentences, each with its references."""
    found = visible_run(request, run)
    state = newest(found)
    told = priced_one(found, summarise(state.tables))
    return answer({"sections": readings.brief(state, found, baseline_summary(found), told)})


@router.get("runs/{run}/claims")
def claims(
    request: HttpRequest,
    run: str,
    status: str = "",
    worker: Annotated[int | None, Query(ge=1, le=65_535)] = None,
    q: str = "",
    sort: str = "opened",
    after: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 500,
) -> HttpResponse:
    """The claims ledger: counts, and lines after the first `after`."""
    for name, value, known in (("status", status, ("", *FILTERS)), ("sort", sort, SORTS)):
        if value not in known:
            raise HttpError(422, f"{name}: must be one of {', '.join(filter(None, known))}")
    found = newest(visible_run(request, run))
    told: dict[str, Any] = readings.claims(found, status=status, worker=worker, words=q, sort=sort)
    lines = [readings.claim_line(found, row) for row in told["lines"][after : after + limit]]
    return answer({**told, "lines": lines})


@router.get("runs/{run}/pulls")
def pulls(
    request: HttpRequest,
    run: str,
    fate: str = "",
    worker: Annotated[int | None, Query(ge=1, le=65_535)] = None,
    q: str = "",
    sort: str = "opened",
    after: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 500,
) -> HttpResponse:
    """The pulls ledger: counts by fate, and lines after the first `after`."""
    for name, value, known in (("fate", fate, ("", *FATES)), ("sort", sort, PULL_SORTS)):
        if value not in known:
            raise HttpError(422, f"{name}: must be one of {', '.join(filter(None, known))}")
    found = newest(visible_run(request, run))
    told: dict[str, Any] = readings.pulls(found, fate=fate, worker=worker, words=q, sort=sort)
    lines = [readings.pull_line(found, row) for row in told["lines"][after : after + limit]]
    return answer({**told, "lines": lines})
