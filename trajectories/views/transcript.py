"""`/runs/{run}/workers/{n}/transcript?at=life-item` or `?t=seconds`: what a worker said and did, turn by turn."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.newest import newest


@require_safe
@gate("viewer")
def transcript(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The frame; the page reads the outline and then the entries it shows."""
    run = visible_run(request, slug)
    row = newest(run).row("workers", number, "worker")
    page = {"slug": run.slug, "worker": number, "live": not run.is_final}
    context = {"run": run, "row": row, "tab": "", "worker_tab": "transcript", "page": page}
    return render(request, "trajectories/transcript.html", context)
