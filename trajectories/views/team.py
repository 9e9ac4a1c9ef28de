"""`/runs/{run}/team`, `/behaviours`, `/summary`: what the team was, from the readings that the API answers too."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs import figures
from runs.access import gate, visible_run
from runs.models import Run
from trajectories import readings
from trajectories.briefing import briefed
from trajectories.newest import Newest, newest
from trajectories.readings.claims import over_time
from trajectories.readings.trust import OTHERS, asked_by, graph, node_of
from trajectories.views.curve import curve
from trajectories.views.ribbons import ribbons

SHOWN_AUTHORS = 10
SHOWN_CHAINS, MOST_CHAINS = 12, 400
A_TABLE = 8  # scores on the summary


@require_safe
@gate("viewer")
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """Who trusts whom, who integrates, what was recovered and where effort was doubled."""
    run, found = newest_of(request, slug)
    told = readings.team(found)
    node = request.GET.get("node") or None
    drawn = told["trust"] if node is None else graph(found, node)
    picked = readings.worker(request.GET.get("reviewer", "")) or next((end["key"] for end in drawn["right"]), None)
    authors = asked_by(found, picked) if picked not in (None, OTHERS) else []
    only_open, everything = request.GET.get("show") == "open", request.GET.get("show") == "all"
    chains = [chain for chain in told["recoveries"]["chains"] if not only_open or chain["status"] != "landed"]
    context = {
        **told,
        "drawn": drawn,
        "shapes": ribbons(drawn, picked),
        "node": node,
        "picked": picked,
        "picked_roles": [row for row in found.tables["roles"].values() if row["worker"] == picked],
        "authors": [
            _author(found, pair) for pair in (authors if "authors" in request.GET else authors[:SHOWN_AUTHORS])
        ],
        "authors_count": len(authors),
        "chains": chains[: MOST_CHAINS if everything else SHOWN_CHAINS],
        "everything": everything,
        "chains_count": len(chains),
        "only_open": only_open,
        "ledger": over_time(found),
        "charts": {
            "integrators": told["integrators"],
            "fates": told["fates"],
            "ledger": over_time(found),
            "collisions": told["collisions"],
        },
    }
    return page_of(request, "team", run, found, context)


@require_safe
@gate("viewer")
def pair(request: HttpRequest, slug: str, author: str, reviewer: str) -> HttpResponse:
    """Every review one worker gave another."""
    run, found = newest_of(request, slug)
    told = readings.pair(found, readings.worker(author), readings.worker(reviewer))
    if told is None:
        raise Http404(f"Nothing is known between {author[:40]} and {reviewer[:40]} in this run.")
    return page_of(request, "pair", run, found, {"pair": told, "tab": "team"})


@require_safe
@gate("viewer")
def behaviours(request: HttpRequest, slug: str) -> HttpResponse:
    """What teams without a lead are known to do, and whether this one did."""
    run, found = newest_of(request, slug)
    return page_of(request, "behaviours", run, found, readings.behaviours(found))


@require_safe
@gate("viewer")
def summary(request: HttpRequest, slug: str) -> HttpResponse:
    """The run on one page, for somebody who is no engineer, to be printed."""
    run, found = newest_of(request, slug)
    sections, told, baseline = briefed(run, found)
    context = {
        "sections": sections,
        "summary": told,
        "baseline": baseline,
        "recovered": readings.team(found)["recoveries"],
        "behaviours": readings.behaviours(found),
        "curve": curve(told.scores, baseline.scores if baseline else (), _length(run)),
        **_checkpoints(run, found),
    }
    return page_of(request, "summary", run, found, context)


def _length(run: Run) -> int | None:
    """The planned length in seconds; an imported spec may hold anything."""
    planned = run.spec.get("duration_s")
    return int(planned) if figures.known(planned) and 0 < planned < 10**8 else None


def _checkpoints(run: Run, found: Newest) -> dict[str, Any]:
    """The rows of a short table of scores: the first, the last and evenly between; `checkpoints_left` = how many are not in it; whether any cost is known."""
    rows = sorted(found.tables["checkpoints"].values(), key=lambda row: row["at_s"] or 0)
    every = -(-len(rows) // A_TABLE) or 1
    shown = [row for k, row in enumerate(reversed(rows)) if k % every == 0 or k == len(rows) - 1][::-1]
    known = run.scripted or any(row["cost_microusd"] is not None for row in rows)
    return {"checkpoints": shown, "checkpoints_left": len(rows) - len(shown), "costs_known": known}


def newest_of(request: HttpRequest, slug: str) -> tuple[Run, Newest]:
    """The run and its newest State."""
    run = visible_run(request, slug)
    return run, newest(run)


def page_of(request: HttpRequest, name: str, run: Run, found: Newest, context: dict[str, Any]) -> HttpResponse:
    """The page of that name under the run's head."""
    shared = {"run": run, "tab": name, "t0": found.t0, "empty": found.n == 0}
    return render(request, f"trajectories/{name}.html", {**shared, **context})


def _author(found: Newest, pair: Any) -> dict[str, Any]:
    return {"pair": pair, "name": readings.name_of(found, pair.author), "node": node_of(found, pair.author)}
