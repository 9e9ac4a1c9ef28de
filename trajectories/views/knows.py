"""`/runs/{run}/workers/{n}/knows?t=seconds`: what a worker knew at a moment."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories import replay


@require_safe
@gate("viewer")
def knows(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The frame; the page asks for one moment after the other."""
    run = visible_run(request, slug)
    row = replay.state(run.pk, None, "workers")["tables"]["workers"].get(str(number))
    if row is None:
        raise Http404(f"This run has no worker {number}.")
    page = {"slug": run.slug, "worker": number, "live": not run.is_final}
    context = {"run": run, "row": row, "tab": "", "worker_tab": "knows", "page": page}
    return render(request, "trajectories/knows.html", context)
