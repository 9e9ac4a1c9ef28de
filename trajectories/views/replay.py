"""`/runs/{run}/replay?t=&w=&ev=`: a lane per worker, scrubbed and played. The page is a frame; the browser folds the changes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.models import Stream, Tile


@require_safe
@gate("viewer")
def replay(request: HttpRequest, slug: str) -> HttpResponse:
    """The frame; a run of which nothing was heard yet gets a sentence instead of an empty canvas."""
    run = visible_run(request, slug)
    stream = Stream.of(run.pk)
    about = {"run": run, "tab": "replay", "empty": stream.n == 0, "ahead": _ahead(run.slug, stream)}
    return render(request, "trajectories/replay.html", about)


def _ahead(slug: str, stream: Stream) -> list[str]:
    """What the page will ask for first, so that a browser fetches it while it still reads the scripts: addresses exactly as
    `static/js/trajectory/feed_recorded.js` makes them, of a settled run alone."""
    if not stream.settled:
        return []
    base = f"/api/v1/runs/{slug}/timeline"
    tiles = Tile.objects.filter(run_id=stream.run_id, generation=stream.generation, name__in=("overview", "lean"))
    named = tiles.order_by("-name").values_list("name", "etag")
    return [base, *(f"{base}?tile={name}&generation={stream.generation}&etag={etag}" for name, etag in named)]
