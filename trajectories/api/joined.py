"""A claim, a pull or a worker with everything that belongs to it, as its page tells it."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from runs.access import visible_run
from trajectories.api.answers import answer
from trajectories.joined.pages import told_of
from trajectories.newest import newest

router = Router()
Number = Annotated[int, Path(ge=0, le=2**62)]


@router.get("runs/{run}/claims/{key}")
def claim(request: HttpRequest, run: str, key: Number) -> HttpResponse:
    """Rivals, takers, pulls with their reviews, later failures, the score around its merge, and the events in order."""
    return answer(told_of(newest(visible_run(request, run)), "claims", key))


@router.get("runs/{run}/pulls/{number}")
def pull(request: HttpRequest, run: str, number: Number) -> HttpResponse:
    """Its fate, claim, reviews, later failures, the score around its merge, and the events in order."""
    return answer(told_of(newest(visible_run(request, run)), "pulls", number))


@router.get("runs/{run}/workers/{number}")
def worker(request: HttpRequest, run: str, number: Number) -> HttpResponse:
    """What it holds, its roles, claims, pulls, reviews and recoveries, and what it did where others could see it."""
    return answer(told_of(newest(visible_run(request, run)), "workers", number))
