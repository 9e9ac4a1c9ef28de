"""`/runs/{run}/replay?t=&w=&ev=`: a lane per worker, scrubbed and played. The page is a frame; the browser folds the changes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.models import Stream


@require_safe
@gate("viewer")
def replay(request: HttpRequest, slug: str) -> HttpResponse:
    """The frame; a run of which nothing was heard yet gets a sentence instead of an empty canvas."""
    run = visible_run(request, slug)
    stream = Stream.of(run.pk)
    return render(request, "trajectories/replay.html", {"run": run, "tab": "replay", "empty": stream.n == 0})
