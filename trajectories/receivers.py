"""Ingest doors over HTTP: ACP batches and cut strings from workers, signed hooks from the forge. Plain async views.

A worker's token decides who speaks; nothing in the body does. Every refusal is a problem document that says what to do.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import orjson
import zstandard
from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from runs.access import find_run
from runs.models import Worker, WorkerToken
from trajectories.ingest.batches import BadBatch, read_batch, store_batch
from trajectories.ingest.garbage import seldom_collected
from trajectories.ingest.hookdoor import Refused, take_hook
from trajectories.ingest.incoming import ID
from trajectories.models import Blob, Feed, now_ms
from trajectories.models.packing import pack

BATCH_BYTES = 8 << 20
HOOK_BYTES = 16 << 20
AT_ONCE = 32  # batches in work in this process; more are asked to come again
_working = 0


def problem(status: int, detail: str, **headers: str) -> HttpResponse:
    """An RFC 9457 problem."""
    body = orjson.dumps({"type": "about:blank", "status": status, "detail": detail})
    return HttpResponse(body, status=status, content_type="application/problem+json", headers=headers)


def answer(body: Any, status: int = 200) -> HttpResponse:
    """A JSON answer."""
    return HttpResponse(orjson.dumps(body), status=status, content_type="application/json")


@csrf_exempt
async def acp(request: HttpRequest, run: str) -> HttpResponse:
    """`POST /ingest/{run}/acp`: a batch of ACP items."""
    global _working
    if request.method != "POST":
        return problem(405, "POST a batch here.", Allow="POST")
    if _working >= AT_ONCE:
        return problem(429, "Too many batches at once; send this one again.", **{"Retry-After": "1"})
    _working += 1
    try:
        with seldom_collected():
            return await sync_to_async(_acp)(request, run)
    finally:
        _working -= 1


def _acp(request: HttpRequest, run: str) -> HttpResponse:
    token = _token(request, run)
    if token is None:
        return problem(401, "Send the worker's ingest token as a bearer token; it is bound to this run.")
    received_at = now_ms()
    try:
        raw = inflated(request, BATCH_BYTES)
        batch = read_batch(raw)
    except TooBig:
        return problem(413, f"A batch may hold {BATCH_BYTES >> 20} MiB when inflated; send fewer items.")
    except BadBatch as fault:
        return problem(400, str(fault))
    life = batch.life
    if batch.worker not in (None, token.worker):
        return problem(403, "The batch names another worker than the token.")
    started = Worker.objects.filter(run_id=token.run_id, n=token.worker).values_list("life", flat=True).first()
    newest = max(token.life, started or 0)
    if type(life) is not int or not 1 <= life <= newest:
        return problem(409, f"The run never started life {life!r} of this worker; its newest is {newest}.")
    harness = request.headers.get("X-Agensh-Harness", "")[:120]
    headers = {"X-Agensh-Harness": harness} if harness else {}
    acknowledged = store_batch(token.run_id, token.worker, life, batch, received_at, headers)
    if not Feed.objects.filter(run_id=token.run_id, source="acp").update(polled_at=received_at):
        Feed.objects.get_or_create(run_id=token.run_id, source="acp", defaults={"polled_at": received_at})
    told: dict[str, Any] = {"acknowledged": acknowledged, "results": batch.refused}
    return answer({**told, "older_life": True} if life < newest else told)


@csrf_exempt
async def blob(request: HttpRequest, run: str, sha256: str) -> HttpResponse:
    """`PUT /ingest/{run}/blobs/{sha256}`: a string that was cut out of a batch."""
    if request.method != "PUT":
        return problem(405, "PUT the bytes here.", Allow="PUT")
    return await sync_to_async(_blob)(request, run, sha256)


def _blob(request: HttpRequest, run: str, sha256: str) -> HttpResponse:
    token = _token(request, run)
    if token is None:
        return problem(401, "Send the worker's ingest token as a bearer token; it is bound to this run.")
    try:
        body = inflated(request, HOOK_BYTES)
    except TooBig:
        return problem(413, f"A blob may hold {HOOK_BYTES >> 20} MiB.")
    except BadBatch as fault:
        return problem(400, str(fault))
    if hashlib.sha256(body).hexdigest() != sha256:
        return problem(422, "The bytes do not have the SHA-256 that the address names.")
    facts = {"bytes": len(body), "body": pack(body)}
    made = Blob.objects.get_or_create(run_id=token.run_id, sha256=sha256, defaults=facts)[1]
    return answer({"sha256": sha256, "bytes": len(body)}, 201 if made else 200)


@csrf_exempt
async def gitea(request: HttpRequest, run: str) -> HttpResponse:
    """`POST /ingest/{run}/gitea`: a signed hook; a wake-up where the forge's outbox can be read."""
    if request.method != "POST":
        return problem(405, "POST a hook here.", Allow="POST")
    return await sync_to_async(_gitea)(request, run)


def _gitea(request: HttpRequest, name: str) -> HttpResponse:
    try:
        run = find_run(name)
        body = _body(request, HOOK_BYTES)
        return answer(take_hook(run, dict(request.headers), body, now_ms()), 202)
    except TooBig:
        return problem(413, f"A hook may hold {HOOK_BYTES >> 20} MiB.")
    except Exception as fault:
        # A stranger learns nothing of which runs there are: unknown run and bad signature answer the same.
        if isinstance(fault, Refused) and fault.status != 401:
            return problem(fault.status, str(fault))
        if isinstance(fault, Refused) or type(fault).__name__ == "Http404":
            return problem(401, "The signature does not hold: HMAC-SHA256 of the raw body with the run's hook secret.")
        raise


class TooBig(ValueError):
    """More bytes than the door takes."""


def inflated(request: HttpRequest, limit: int) -> bytes:
    """The body, gzip and zstd undone, at most `limit` bytes. Raises TooBig or BadBatch."""
    raw, encoding = _body(request, limit), request.headers.get("Content-Encoding", "").lower()
    undo: dict[str, Callable[[bytes], bytes]] = {"": bytes, "identity": bytes}
    undo["gzip"] = lambda data: zlib.decompressobj(31).decompress(data, limit + 1)
    undo["zstd"] = lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(limit + 1)
    if encoding not in undo:
        raise BadBatch(f"Content-Encoding {encoding!r}; use gzip or zstd")
    try:
        body = undo[encoding](raw)
    except (zlib.error, zstandard.ZstdError, gzip.BadGzipFile, EOFError):
        raise BadBatch(f"the body is not {encoding}") from None
    if len(body) > limit:
        raise TooBig
    return body


def _body(request: HttpRequest, limit: int) -> bytes:
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > limit:
        raise TooBig
    body = request.read(limit + 1)
    if len(body) > limit:
        raise TooBig
    return body


def _token(request: HttpRequest, run: str) -> WorkerToken | None:
    scheme, _, plain = request.headers.get("Authorization", "").partition(" ")
    token = WorkerToken.find(plain.strip()) if scheme.lower() == "bearer" and ID.fullmatch(plain.strip()) else None
    if token is None or run not in (token.run.slug, str(token.run_id)):
        return None
    return token


urlpatterns = [
    path("ingest/<str:run>/acp", acp, name="ingest-acp"),
    path("ingest/<str:run>/blobs/<str:sha256>", blob, name="ingest-blob"),
    path("ingest/<str:run>/gitea", gitea, name="ingest-gitea"),
]
