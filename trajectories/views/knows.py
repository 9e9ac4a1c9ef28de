"""`/runs/{run}/workers/{n}/knows?t=seconds`: what a worker knew at a moment."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.newest import newest


@require_safe
@gate("viewer")
def knows(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The frame; the page asks for one moment after the other."""
    run = visible_run(request, slug)
    row = newest(run).row("workers", number, "worker")
    page = {"slug": run.slug, "worker": number, "live": not run.is_final}
    context = {"run": run, "row": row, "tab": "", "worker_tab": "knows", "page": page}
    return render(request, "trajectories/knows.html", context)
