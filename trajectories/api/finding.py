"""Search over HTTP, how far notes and messages were handed over, and what a worker knew at a moment."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Path, Query, Router
from ninja.errors import HttpError

from runs.access import visible_run, visible_runs
from trajectories import search
from trajectories.api.answers import answer, seconds
from trajectories.newest import newest
from trajectories.transcripts.delivered import Deliveries
from trajectories.transcripts.knowledge import knowledge

router = Router()
Words = Annotated[str, Query(max_length=200)]
Worker = Annotated[int | None, Query(ge=1, le=65_535)]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("search")
def search_runs(
    request: HttpRequest,
    q: Words,
    run: str = "",
    worker: Worker = None,
    kind: Annotated[str, Query(max_length=80)] = "",
    since: Annotated[float | None, Query(alias="from")] = None,
    to: float | None = None,
    whole: bool = False,
    before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    limit: Limit = 50,
) -> HttpResponse:
    """Notes, messages, pulls, reviews, commits and steps that hold every word of `q`, newest first, each with the moment it leads to.

    `run`: only there; `kind`: several with commas; `from`, `to`: seconds since a run's start; `before`: the number of an event; only what was earlier.
    """
    kinds = frozenset(name.strip() for name in kind.split(",") if name.strip())
    if kinds - set(search.KINDS):
        raise HttpError(422, f"kind: must be of {', '.join(search.KINDS)}")
    try:
        terms = search.terms(q, whole)
    except search.Unclear as problem:
        raise HttpError(422, str(problem)) from None
    runs = [visible_run(request, run)] if run else visible_runs(request)
    filters = search.Filters(worker, kinds, before=before)
    found, left = search.search(
        runs, terms, filters, limit if run else min(limit, search.EACH), (seconds(since), seconds(to))
    )
    return answer({"runs": [_of_run(each) for each in found], "left_out": [each.slug for each in left]})


def _of_run(found: search.OfRun) -> dict[str, Any]:
    head = {"run": found.run.slug, "name": found.run.name, "count": found.count, "complete": found.complete}
    return {**head, "kinds": found.kinds, "hits": [{**hit, "text": _text(hit)} for hit in found.hits]}


def _text(hit: dict[str, Any]) -> str:
    return "".join(text for text, _ in hit["pieces"])


@router.get("runs/{run}/delivered")
def delivered(
    request: HttpRequest,
    run: str,
    notes: Annotated[str, Query(max_length=4000)] = "",
    messages: Annotated[str, Query(max_length=8000)] = "",
) -> HttpResponse:
    """How many receivers had these notes and messages (ids with commas) stored, leased, shown, acknowledged."""
    seen_run = visible_run(request, run)
    tables = newest(seen_run).tables
    told = Deliveries(seen_run.pk, {row["worker"]: row["board_seen"] or 0 for row in tables["workers"].values()})
    found: dict[str, Any] = {"told": told.told, "notes": {}, "messages": {}}
    for number in [int(text) for text in notes.split(",")[:200] if text.isascii() and text.isdigit()]:
        note = tables["notes"].get(number)
        if note:
            found["notes"][str(number)] = told.note(number, note["worker"]).as_json()
    for id in messages.split(",")[:200]:
        each = told.message(id) if id else None
        if each:
            found["messages"][id] = each.as_json()
    return answer(found)


@router.get("runs/{run}/workers/{int:worker}/knowledge")
def known(
    request: HttpRequest, run: str, worker: Annotated[int, Path(ge=1, le=65_535)], at: float | None = None
) -> HttpResponse:
    """What the worker knew `at` seconds: notes, messages and notices that had been shown to it, and those that had not."""
    return answer(knowledge(visible_run(request, run).pk, worker, seconds(at)))
