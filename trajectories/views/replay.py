"""`/runs/{run}/replay?t=&w=&ev=`: a lane per worker, scrubbed and played. The page is a frame; the browser folds the changes."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.manifest import manifest
from trajectories.models import Stream

FIRST = ("overview", "lean")  # tiles that a picture needs, in the order in which they are of use


@require_safe
@gate("viewer")
def replay(request: HttpRequest, slug: str) -> HttpResponse:
    """The frame; a run of which nothing was heard yet gets a sentence instead of an empty canvas.

    Of a settled run the page holds the manifest, so that its pieces are asked for while the scripts are still read.
    """
    run = visible_run(request, slug)
    stream = Stream.of(run.pk)
    named = manifest(stream) if stream.settled else None
    about = {"run": run, "tab": "replay", "empty": stream.n == 0, "manifest": named}
    about |= {"ahead": _ahead(run.slug, named) if named else []}
    return render(request, "trajectories/replay.html", about)


def _ahead(slug: str, named: dict[str, Any]) -> list[str]:
    """What the page will ask for first: addresses exactly as `static/js/trajectory/feed_recorded.js` makes them."""
    base = f"/api/v1/runs/{slug}/timeline"
    tags = {tile["name"]: tile["etag"] for tile in named["tiles"]}
    return [f"{base}?tile={name}&generation={named['generation']}&etag={tags[name]}" for name in FIRST if name in tags]
