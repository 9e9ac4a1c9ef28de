"""One worker's transcript: its outline, pages of entries by item, search within, and long strings piece by piece."""

from __future__ import annotations

from typing import Annotated

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Path, Query, Router

from runs.access import visible_run
from trajectories import transcripts
from trajectories.api.answers import answer, seconds
from trajectories.transcripts.blobs import piece

router = Router()
Number = Annotated[int, Path(ge=1, le=65_535)]
Life = Annotated[int, Query(ge=1, le=2**31 - 1)]
ItemNumber = Annotated[int, Query(ge=1, le=2**31 - 1)]
Words = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("runs/{run}/workers/{int:worker}/transcript")
def outline(request: HttpRequest, run: str, worker: Number) -> HttpResponse:
    """The turns with figures and running totals, and which items each holds."""
    return answer(transcripts.outline(visible_run(request, run).pk, worker))


@router.get("runs/{run}/workers/{int:worker}/transcript/entries")
def entries(
    request: HttpRequest, run: str, worker: Number, life: Life, first: ItemNumber, last: ItemNumber
) -> HttpResponse:
    """Entries that begin in items `first`..`last` of a life (at most 400 items); long texts are clipped."""
    return answer({"entries": transcripts.page(visible_run(request, run).pk, worker, life, first, max(first, last))})


@router.get("runs/{run}/workers/{int:worker}/transcript/entry")
def entry(request: HttpRequest, run: str, worker: Number, life: Life, item: ItemNumber) -> HttpResponse:
    """The entry that begins at an item, with all its text."""
    found = transcripts.entry(visible_run(request, run).pk, worker, life, item)
    if found is None:
        raise Http404(f"No entry of worker {worker} begins at item {life}-{item}.")
    return answer(found)


@router.get("runs/{run}/workers/{int:worker}/transcript/find")
def find(
    request: HttpRequest,
    run: str,
    worker: Number,
    q: Words,
    life: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    item: ItemNumber = 1,
) -> HttpResponse:
    """Entries whose text holds `q`, from an item on, for a moment's work; go on at `next`."""
    return answer(transcripts.find(visible_run(request, run).pk, worker, q, (life, item)))


@router.get("runs/{run}/workers/{int:worker}/transcript/place")
def place(request: HttpRequest, run: str, worker: Number, t: float) -> HttpResponse:
    """The newest item at `t` seconds: `{"life", "item"}`."""
    found = transcripts.place(visible_run(request, run).pk, worker, seconds(t) or 0.0)
    if found is None:
        raise Http404(f"Worker {worker} has said nothing.")
    return answer({"life": found[0], "item": found[1]})


@router.get("runs/{run}/blobs/{sha256}/piece")
def blob_piece(
    request: HttpRequest, run: str, sha256: str, after: Annotated[int, Query(ge=0, le=2**40)] = 0
) -> HttpResponse:
    """A stretch of a long string from byte `after` on: `{"text", "next", "bytes"}`; `next` is null at the end."""
    found = piece(visible_run(request, run).pk, sha256, after)
    if found is None:
        raise Http404("There is no such blob in this run.")
    return answer(found)
