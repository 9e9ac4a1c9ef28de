"""`/runs/{run}/`: the live page. It carries no figures of its own: the State, its changes and the feeds are read by the page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs import figures
from runs.access import caller, gate, visible_run
from runs.models import Run
from runs.summary import moment
from trajectories.baselines import baseline_of
from trajectories.pricing import list_price
from trajectories.summary import of_runs


@require_safe
@gate("viewer")
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, also after the end: then it shows the last State."""
    run = visible_run(request, slug)
    found = caller(request)
    operator = bool(found and found.may("operator"))
    page = page_facts(run) | {"operator": operator, "token": get_token(request)}
    context = {"run": run, "tab": "live", "page": page, "operator": operator}
    return render(request, "trajectories/live.html", {**context, "run_actions": "trajectories/_live_actions.html"})


def page_facts(run: Run) -> dict[str, Any]:
    """What the page's script must know of the run's row."""
    duration = run.spec.get("duration_s")
    standins = run.endpoints.get("standins") or []
    base = baseline_of(run)
    price = None if run.scripted else list_price(run)
    return {
        "slug": run.slug,
        "now": moment(timezone.now()),
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "live": not run.is_final,
        "duration_s": duration if figures.known(duration) else None,
        "scripted": run.scripted,
        "price": price and {"input": price.input, "cached": price.cached, "output": price.output},
        "standins": [name for name in standins if isinstance(name, str)],
        "baseline": [list(point) for point in of_runs([base.pk])[base.pk].scores] if base else [],
    }
