"""What the pages Team, Claims, Behaviours and Summary say, as they say it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema
from ninja.errors import HttpError

from runs.access import visible_run
from trajectories import readings
from trajectories.api.answers import answer
from trajectories.briefing import briefed
from trajectories.newest import Newest, Row, newest
from trajectories.readings.claims import FILTERS, SORTS
from trajectories.readings.pulls import FILTERS as FATES
from trajectories.readings.pulls import SORTS as PULL_SORTS

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
    return answer({"sections": briefed(found, newest(found))[0]})


class Asked(Schema):
    """How a ledger is narrowed: a worker's, holding words, from line `after`."""

    worker: int | None = Field(None, ge=1, le=65_535)
    q: str = ""
    sort: str = "opened"
    after: int = Field(0, ge=0, le=10**9)
    limit: int = Field(500, ge=1, le=10_000)


@router.get("runs/{run}/claims")
def claims(request: HttpRequest, run: str, asked: Query[Asked], status: str = "") -> HttpResponse:
    """The claims ledger: counts, and lines after the first `after`."""
    _known("status", status, ("", *FILTERS))
    _known("sort", asked.sort, SORTS)
    found = newest(visible_run(request, run))
    told = readings.claims(found, status=status, worker=asked.worker, words=asked.q, sort=asked.sort)
    return _lines(found, told, asked, readings.claim_line)


@router.get("runs/{run}/pulls")
def pulls(request: HttpRequest, run: str, asked: Query[Asked], fate: str = "") -> HttpResponse:
    """The pulls ledger: counts by fate, and lines after the first `after`."""
    _known("fate", fate, ("", *FATES))
    _known("sort", asked.sort, PULL_SORTS)
    found = newest(visible_run(request, run))
    told = readings.pulls(found, fate=fate, worker=asked.worker, words=asked.q, sort=asked.sort)
    return _lines(found, told, asked, readings.pull_line)


def _known(name: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise HttpError(422, f"{name}: must be one of {', '.join(filter(None, known))}")


def _lines(found: Newest, told: dict[str, Any], asked: Asked, line: Callable[[Newest, Row], Any]) -> HttpResponse:
    rows = told["lines"][asked.after : asked.after + asked.limit]
    return answer({**told, "lines": [line(found, row) for row in rows]})
