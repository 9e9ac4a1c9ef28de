"""The door for ACP batches: who speaks, what the bytes are, whether the run knows that life; then it is stored."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import zstandard
from django.db import connection

from runs.models.token import hashed
from trajectories.ingest.batches import BadBatch, read_batch, store_batch
from trajectories.ingest.incoming import ID
from trajectories.models import now_ms

BATCH_BYTES = 8 << 20
HEADERS = ("Authorization", "Content-Encoding", "X-Agensh-Harness")
STRANGER = "Send the worker's ingest token as a bearer token; it is bound to this run."
# One question in place of three, and past the ORM: asked with every batch, and making the query cost more than the answer.
_WHO = """SELECT t.run_id, t.worker, t.life, r.slug, w.life FROM runs_workertoken t JOIN runs_run r ON r.id = t.run_id
LEFT JOIN runs_worker w ON w.run_id = t.run_id AND w.n = t.worker WHERE t.hash = %s"""


class Speaker(NamedTuple):
    """A worker's token: its run, worker and life, and the newest life that the run has started."""

    run_id: int
    worker: int
    life: int
    newest: int


class Reply(NamedTuple):
    """Status and JSON body; a problem where the status is 400 or more."""

    status: int
    body: dict[str, Any]


class TooBig(ValueError):
    """More bytes than the door takes."""


def refused(status: int, detail: str) -> Reply:
    """An RFC 9457 problem."""
    return Reply(status, {"type": "about:blank", "status": status, "detail": detail})


def take(run: str, authorization: str, encoding: str, harness: str, body: bytes) -> Reply:
    """Store the batch and say up to which item all is settled. `run` = slug or number in the address; the others are headers."""
    speaker = speaking(run, authorization)
    if speaker is None:
        return refused(401, STRANGER)
    received_at = now_ms()
    try:
        batch = read_batch(inflated(body, encoding, BATCH_BYTES))
    except TooBig:
        return refused(413, f"A batch may hold {BATCH_BYTES >> 20} MiB when inflated; send fewer items.")
    except BadBatch as fault:
        return refused(400, str(fault))
    life = batch.life
    if batch.worker not in (None, speaker.worker):
        return refused(403, "The batch names another worker than the token.")
    if type(life) is not int or not 1 <= life <= speaker.newest:
        return refused(409, f"The run never started life {life!r} of this worker; its newest is {speaker.newest}.")
    headers = {"X-Agensh-Harness": harness[:120]} if harness else {}
    acknowledged = store_batch(speaker.run_id, speaker.worker, life, batch, received_at, headers)
    told: dict[str, Any] = {"acknowledged": acknowledged, "results": batch.refused}
    return Reply(200, {**told, "older_life": True} if life < speaker.newest else told)


def speaking(run: str, authorization: str) -> Speaker | None:
    """Whose token this is; None if it is nobody's, or of another run."""
    scheme, _, plain = authorization.partition(" ")
    plain = plain.strip()
    if scheme.lower() != "bearer" or not ID.fullmatch(plain):
        return None
    with connection.cursor() as cursor:
        row = cursor.execute(_WHO, [hashed(plain)]).fetchone()
    if row is None or run not in (row[3], str(row[0])):
        return None
    return Speaker(row[0], row[1], row[2], max(row[2], row[4] or 0))


def inflated(raw: bytes, encoding: str, limit: int) -> bytes:
    """The body, gzip and zstd undone, at most `limit` bytes. Raises TooBig or BadBatch."""
    undo: dict[str, Callable[[bytes], bytes]] = {"": bytes, "identity": bytes}
    undo["gzip"] = lambda data: zlib.decompressobj(31).decompress(data, limit + 1)
    undo["zstd"] = lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(limit + 1)
    encoding = encoding.lower()
    if encoding not in undo:
        raise BadBatch(f"Content-Encoding {encoding!r}; use gzip or zstd")
    try:
        body = undo[encoding](raw)
    except (zlib.error, zstandard.ZstdError, gzip.BadGzipFile, EOFError):
        raise BadBatch(f"the body is not {encoding}") from None
    if len(body) > limit:
        raise TooBig
    return body
