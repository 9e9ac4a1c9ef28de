"""`/runs/{run}/claims/{id}`, `/pulls/{n}`, `/workers/{n}`: one page for everything that belongs together."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from runs.models import Run
from trajectories import replay
from trajectories.events import millis
from trajectories.joined import Story, claim_story, event_story, pull_story, worker_story
from trajectories.views.why import CLAIM_WHY, PULL_WHY, marks

MS = 1000


@require_safe
@gate("viewer")
def claim(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A claim from its note to the score that followed its merge."""
    run, state = _state(request, slug)
    row = _row(state, "claims", key, "claim")
    tables = state["tables"]
    others = [tables["claims"][str(other)] for other in row["overlaps"] if str(other) in tables["claims"]]
    pull = tables["pulls"].get(str(row["pull"])) if row["pull"] is not None else None
    lasted = _seconds(state, row["opened_at"], row["closed_at"])
    recovery = tables["recoveries"].get(key)
    context = {"row": row, "others": others, "pull": pull, "lasted": lasted, "recovery": recovery}
    context |= {"why": CLAIM_WHY[row["status"]], "mark": marks(row["status"]), "reviews": _reviews(tables, row["pull"])}
    return _page(request, "claim", run, state, claim_story(run.pk, tables, key), context)


@require_safe
@gate("viewer")
def pull(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A pull from its branch to its fate."""
    run, state = _state(request, slug)
    row = _row(state, "pulls", str(number), "pull")
    tables = state["tables"]
    claimed = tables["claims"].get(str(row["claim"])) if row["claim"] is not None else None
    age = _seconds(state, row["opened_at"], row["merged_at"] or row["closed_at"])
    fate = "conflict" if row["status"] == "open" and row["conflict"] == "true" else row["status"]
    context = {"row": row, "claim": claimed, "age": age, "reviews": _reviews(tables, number)}
    context |= {"why": PULL_WHY[fate], "mark": marks(fate), "fate": fate}
    return _page(request, "pull", run, state, pull_story(run.pk, tables, str(number)), context)


@require_safe
@gate("viewer")
def worker(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A worker: what it holds, what it is for the team, what it did where others could see it."""
    run, state = _state(request, slug)
    row = _row(state, "workers", str(number), "worker")
    tables = state["tables"]

    def mine(table: str, column: str) -> list[dict[str, Any]]:
        return [other for other in tables[table].values() if other[column] == number]

    context: dict[str, Any] = {"row": row, "mark": marks(row["status"]), "claims": mine("claims", "worker")}
    context |= {
        "pulls": mine("pulls", "author"),
        "roles": mine("roles", "worker"),
        "given": mine("reviews", "reviewer"),
    }
    context["current"] = tables["claims"].get(str(row["current_claim"])) if row["current_claim"] is not None else None
    return _page(request, "worker", run, state, worker_story(run.pk, number), context)


def _page(
    request: HttpRequest, kind: str, run: Run, state: dict[str, Any], story: Story, context: dict[str, Any]
) -> HttpResponse:
    shared = {"run": run, "story": story, "tab": "", "kind": kind, "t0": state["t0"]}
    return render(request, f"trajectories/{kind}.html", {**shared, **context})


def _state(request: HttpRequest, slug: str) -> tuple[Run, dict[str, Any]]:
    run = visible_run(request, slug)
    return run, replay.state(run.pk)


def _row(state: dict[str, Any], table: str, key: str, word: str) -> dict[str, Any]:
    try:
        return state["tables"][table][key]  # type: ignore[no-any-return]
    except KeyError:
        raise Http404(f"This run has no {word} {key}.") from None


def _seconds(state: dict[str, Any], since: str | None, until: str | None) -> float | None:
    return (millis(until) - millis(since)) / MS if since and until else None


def _reviews(tables: dict[str, Any], number: int | None) -> list[dict[str, Any]]:
    found = [row for row in tables["reviews"].values() if row["pull"] == number and number is not None]
    return [
        {**row, "mark": marks(_word(row)), "word": _word(row)} for row in sorted(found, key=lambda row: row["at"] or "")
    ]


def _word(review: dict[str, Any]) -> str:
    return str(review["verdict"] if review["status"] == "standing" else review["status"])


@require_safe
@gate("viewer")
def story(request: HttpRequest, slug: str, table: str, key: str) -> HttpResponse:
    """The lines of a claim, a pull or a worker as JSON: `{"moments": [..], "more": n}`, for the replay's inspector."""
    run, state = _state(request, slug)
    tables = state["tables"]
    if table == "claims" and key in tables["claims"]:
        told = claim_story(run.pk, tables, key)
    elif table == "pulls" and key in tables["pulls"]:
        told = pull_story(run.pk, tables, key)
    elif table == "workers" and key.isascii() and key.isdigit() and key in tables["workers"]:
        told = worker_story(run.pk, int(key))
    elif table == "events" and key.isascii() and key.isdigit() and len(key) < 19:
        told = event_story(run.pk, int(key))
    else:
        raise Http404(f"This run has no {table} {key}.")
    return JsonResponse({"moments": [asdict(line) for line in told.moments], "more": told.more})
