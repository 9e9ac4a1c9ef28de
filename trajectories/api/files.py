"""What a run is taken away as: timeline segments, the bundle, cut strings."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Router

from runs.access import visible_run
from trajectories.api.answers import answer, packed
from trajectories.api.streaming import download
from trajectories.bundle import write_zip
from trajectories.derive.marks import KINDS
from trajectories.models import Blob, Segment, Stream, Tile
from trajectories.models.packing import unpack

router = Router()


@router.get("runs/{run}/timeline")
def timeline(request: HttpRequest, run: str, segment: int | None = None, tile: str = "") -> HttpResponse:
    """The manifest; with `segment`, one piece in the binary format AGTL; with `tile`, a picture by its name."""
    stream = Stream.of(visible_run(request, run).pk)
    tiles = Tile.objects.filter(run_id=stream.run_id, generation=stream.generation)
    if tile:
        picture = tiles.filter(name=tile).first()
        if picture is None:
            raise Http404(f"There is no tile {tile[:20]} in generation {stream.generation}.")
        return packed(request, bytes(picture.body), picture.etag, "application/octet-stream")
    mine = Segment.objects.filter(run_id=stream.run_id, generation=stream.generation)
    if segment is not None:
        found = mine.filter(k=segment).first()
        if found is None:
            raise Http404(f"There is no segment {segment} in generation {stream.generation}.")
        return packed(request, bytes(found.body), found.etag, "application/octet-stream")
    columns = ("k", "rows", "t_min", "t_max", "bytes", "etag")
    segments = [dict(zip(columns, row, strict=True)) for row in mine.order_by("k").values_list(*columns)]
    head = {"version": 1, "generation": stream.generation, "t0": stream.t0, "sorted": stream.settled}
    shown = [
        dict(zip(("name", "bytes", "etag"), row, strict=True)) for row in tiles.values_list("name", "bytes", "etag")
    ]
    return answer({**head, "kinds": list(KINDS), "segments": segments, "tiles": shown})


@router.get("runs/{run}/bundle")
def bundle(request: HttpRequest, run: str) -> StreamingHttpResponse:
    """The run's bundle, a zip."""
    found = visible_run(request, run)
    return download(request, partial(write_zip, found), f"{found.slug}.agrun.zip", "application/zip")


@router.get("runs/{run}/blobs/{sha256}")
def blob(request: HttpRequest, run: str, sha256: str) -> HttpResponse:
    """A long string that was cut out of an ACP message, as plain text."""
    found = Blob.objects.filter(run=visible_run(request, run), sha256=sha256).first()
    if found is None:
        raise Http404("There is no such blob in this run.")
    headers = {"X-Content-Type-Options": "nosniff"}
    return HttpResponse(unpack(found.body), content_type="text/plain; charset=utf-8", headers=headers)
