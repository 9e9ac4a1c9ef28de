"""`/runs/{run}/claims/{id}`, `/pulls/{n}`, `/workers/{n}`: one page for everything that belongs together."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import caller, gate, visible_run
from runs.models import Run
from trajectories import memory
from trajectories.joined import claim_story, event_story, pull_story, worker_story
from trajectories.joined.pages import STORIES, claim_page, pull_page, worker_page
from trajectories.joined.usage import usage
from trajectories.newest import Newest, newest
from trajectories.pricing import worker_cost
from trajectories.views.spark import spark
from trajectories.views.strip import strip
from trajectories.words import marks


@require_safe
@gate("viewer")
@memory.used()
def claim(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A claim from its note to the score that followed its merge, take-overs included."""
    run, found = _newest(request, slug)
    page = claim_page(found, whole(key, "claim"))
    row, story = page["row"], claim_story(found, page["row"]["claim"])
    spans = [row, *page["others"], *page["takers"]]
    moved = _moved(page)
    drawn = strip(found, spans, [line for line in story.moments if line.ref not in moved])
    context = {**page, "story": story, "strip": drawn, "moved": moved, "mark": marks(row["status"])}
    return _page(
        request, "claim", run, found, {**context, "tab": "claims", "run_actions": "trajectories/_claim_actions.html"}
    )


@require_safe
@gate("viewer")
@memory.used()
def pull(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A pull from its branch to its fate."""
    run, found = _newest(request, slug)
    page = pull_page(found, number)
    story = pull_story(found, number)
    spans = [page["claim"]] if page["claim"] else []
    moved = _moved(page)
    drawn = strip(found, spans, [line for line in story.moments if line.ref not in moved])
    context = {**page, "story": story, "strip": drawn, "moved": moved, "mark": marks(page["fate"])}
    return _page(request, "pull", run, found, {**context, "tab": "pulls"})


@require_safe
@gate("viewer")
@memory.used()
def worker(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A worker: what it holds, what it is for the team, what it did where others could see it."""
    run, found = _newest(request, slug)
    page = worker_page(found, number)
    story = worker_story(found, number)
    asking = caller(request)
    operator = bool(asking and asking.may("operator")) and not run.is_final
    context = {
        **page,
        "story": story,
        "operator": operator,
        "mark": marks(page["row"]["status"]),
        "list_cost": None
        if run.scripted or page["row"]["cost_microusd"] is not None
        else worker_cost(run, page["row"]),
        **_usage(run, found, number),
    }
    return _page(request, "worker", run, found, {**context, "run_actions": "trajectories/_worker_actions.html"})


def _usage(run: Run, found: Newest, number: int) -> dict[str, Any]:
    told = usage(run.pk, number, found.t0, len(found.tables["workers"]))
    lines = (spark(told.memory, [], None), spark(told.processor, [], None)) if told else (None, None)
    return {"usage": told, "memory_line": lines[0], "processor_line": lines[1]}


@require_safe
@gate("viewer")
def story(request: HttpRequest, slug: str, table: str, key: str) -> HttpResponse:
    """The lines of a claim, a pull or a worker as JSON: `{"moments": [..], "more": n}`, for the replay's inspector."""
    run, found = _newest(request, slug)
    number = whole(key, table)
    if table == "events":
        told = event_story(run.pk, number)
    elif table in STORIES:
        found.row(table, number, table)
        told = STORIES[table][1](found, number)
    else:
        raise Http404(f"This run has no {table} {key}.")
    return JsonResponse({"moments": [asdict(line) for line in told.moments], "more": told.more})


def _moved(page: dict[str, Any]) -> set[str]:
    """References of what moved the base under a pull of the page: told as such, and of no worker on the strip."""
    return {ref for pull in page["pulls"] for ref in pull["conflict_bases"]}


def whole(text: str, word: str) -> int:
    """A key that is a number; Http404 for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404(f"This run has no {word} {text[:80]}.")
    return int(text)


def _page(request: HttpRequest, kind: str, run: Run, found: Newest, context: dict[str, Any]) -> HttpResponse:
    return render(
        request, f"trajectories/{kind}.html", {"run": run, "tab": "", "kind": kind, "t0": found.t0, **context}
    )


def _newest(request: HttpRequest, slug: str) -> tuple[Run, Newest]:
    run = visible_run(request, slug)
    return run, newest(run)
