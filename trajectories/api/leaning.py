"""The lean State over HTTP: of a settled run as it was written at settle, of a live one made once per change of it."""

from __future__ import annotations

import gzip

from django.http import HttpRequest, HttpResponse

from runs.models import Run
from trajectories.api.answers import packed
from trajectories.derive.lean import lean
from trajectories.models import Stream, Tile
from trajectories.newest import Newest, newest

JSON = "application/json"


def lean_state(request: HttpRequest, run: Run) -> HttpResponse:
    """Gzip of the JSON under a strong ETag."""
    stream = Stream.of(run.pk)
    tiles = Tile.objects.filter(run=run, generation=stream.generation, name="lean")
    etag = tiles.values_list("etag", flat=True).first() if stream.settled else None
    if etag is not None:
        return packed(request, lambda: bytes(tiles.values_list("body", flat=True).get()), etag, JSON)
    found = newest(run)
    return packed(request, lambda: found.reading(_packed), f"lean-{found.generation}-{found.c}-{found.n}", JSON)


def _packed(found: Newest) -> bytes:
    place = {"generation": found.generation, "c": found.c, "n": found.n, "t0": found.t0, "settled": found.settled}
    return gzip.compress(lean(found.tables, place), 1, mtime=0)
