"""A big answer in pieces: made when its first piece is asked for, by whichever kind of server asks."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from typing import IO

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

CHUNK = 1 << 18
Writer = Callable[[IO[bytes]], object]


def download(request: HttpRequest, write: Writer, filename: str, media_type: str) -> StreamingHttpResponse:
    """What `write` writes into a file, as an attachment; never whole in memory, and no file is left if nobody reads."""
    return streamed(request, _now(write), filename, media_type)


def streamed(request: HttpRequest, pieces: Iterator[bytes], filename: str, media_type: str) -> StreamingHttpResponse:
    """Pieces as an attachment, each made when the one before has gone."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "X-Content-Type-Options": "nosniff"}
    made = _later(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(made, content_type=media_type, headers=headers)


def _now(write: Writer) -> Iterator[bytes]:
    with tempfile.TemporaryFile() as file:
        write(file)
        file.seek(0)
        while piece := file.read(CHUNK):
            yield piece


async def _later(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    try:
        while piece := await sync_to_async(next)(pieces, b""):
            yield piece
    finally:
        pieces.close()  # type: ignore[attr-defined]
