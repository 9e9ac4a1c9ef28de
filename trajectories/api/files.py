"""What a run is taken away as: timeline segments, the bundle, cut strings."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Router

from runs.access import visible_run
from trajectories.api.answers import ASK, FOREVER, ONCE, answer, packed, tagged
from trajectories.api.streaming import download
from trajectories.bundle import write_zip
from trajectories.derive.timeline import ROWS
from trajectories.manifest import manifest
from trajectories.models import Blob, Segment, Stream, Tile
from trajectories.models.packing import unpack

router = Router()


@router.get("runs/{run}/timeline")
def timeline(
    request: HttpRequest,
    run: str,
    segment: int | None = None,
    tile: str = "",
    generation: int | None = None,
    etag: str = "",
) -> HttpResponse:
    """The manifest; with `segment`, one piece in the binary format AGTL; with `tile`, a picture by its name.

    With the `generation` and `etag` of the manifest the address names its bytes: the answer may be kept for ever, and is 404 once they have changed.
    A run that lives goes on between the two questions: its newest piece is answered as it is now, which holds all that it held, and kept by nobody.
    """
    stream = Stream.of(visible_run(request, run).pk)
    mine = {"run_id": stream.run_id, "generation": stream.generation}
    if tile:
        return _piece(request, Tile.objects.filter(**mine, name=tile), f"tile {tile[:20]}", stream, (generation, etag))
    if segment is not None:
        found = Segment.objects.filter(**mine, k=segment)
        return _piece(request, found, f"segment {segment}", stream, (generation, etag))
    found = answer(manifest(stream))
    return tagged(request, found) if stream.settled else found


def _piece(
    request: HttpRequest, rows: QuerySet[Any], name: str, stream: Stream, wanted: tuple[int | None, str]
) -> HttpResponse:
    """Bytes as they are stored, by the name of their content or as they are now."""
    etag = rows.values_list("etag", flat=True).first()
    now = (stream.generation, etag)
    compared = zip(wanted, now, strict=True) if stream.settled else [(wanted[0], now[0])]
    if etag is None or any(asked not in {None, "", found} for asked, found in compared):
        raise Http404(f"There is no such {name} in generation {stream.generation}: read the manifest again.")
    # Read by the ETag as well: the newest segment of a live run may be written again between the two questions.
    body = partial(_body, rows.filter(etag=etag), name)
    # The newest of a run that lives has another address every other second.
    named = FOREVER if _is_closed(rows, stream) else ONCE
    return packed(request, body, etag, "application/octet-stream", named if wanted == now else ASK)


def _is_closed(rows: QuerySet[Any], stream: Stream) -> bool:
    return stream.settled or (rows.model is Segment and rows.filter(rows=ROWS).exists())


def _body(rows: QuerySet[Any], name: str) -> bytes:
    body = rows.values_list("body", flat=True).first()
    if body is None:
        raise Http404(f"This {name} has just changed: read the manifest again.")
    return bytes(body)


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
