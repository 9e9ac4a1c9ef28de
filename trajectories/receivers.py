"""Ingest doors over HTTP: ACP batches and cut strings from workers, signed hooks from the forge. Plain async views.

A worker's token decides who speaks; nothing in the body does. Every refusal is a problem document that says what to do.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from runs.access import find_run
from trajectories.ingest.acpdoor import BATCH_BYTES, HEADERS, STRANGER, TooBig, inflated, speaking, take
from trajectories.ingest.batches import BadBatch
from trajectories.ingest.hookdoor import Refused, take_hook
from trajectories.models import Blob, now_ms
from trajectories.models.packing import pack

HOOK_BYTES = 16 << 20


def problem(status: int, detail: str, **headers: str) -> HttpResponse:
    """An RFC 9457 problem."""
    body = orjson.dumps({"type": "about:blank", "status": status, "detail": detail})
    return HttpResponse(body, status=status, content_type="application/problem+json", headers=headers)


def answer(body: Any, status: int = 200) -> HttpResponse:
    """A JSON answer."""
    kind = "application/json" if status < 400 else "application/problem+json"
    return HttpResponse(orjson.dumps(body), status=status, content_type=kind)


@csrf_exempt
async def acp(request: HttpRequest, run: str) -> HttpResponse:
    """`POST /ingest/{run}/acp`: a batch of ACP items. Under an ASGI server `swift.py` takes it before."""
    if request.method != "POST":
        return problem(405, "POST a batch here.", Allow="POST")
    return await sync_to_async(_acp)(request, run)


def _acp(request: HttpRequest, run: str) -> HttpResponse:
    who, encoding, harness = (request.headers.get(name, "") for name in HEADERS)
    try:
        status, body = take(run, who, encoding, harness, _body(request, BATCH_BYTES))
    except TooBig:
        return problem(413, f"A batch may hold {BATCH_BYTES >> 20} MiB; send fewer items.")
    return answer(body, status)


@csrf_exempt
async def blob(request: HttpRequest, run: str, sha256: str) -> HttpResponse:
    """`PUT /ingest/{run}/blobs/{sha256}`: a string that was cut out of a batch."""
    if request.method != "PUT":
        return problem(405, "PUT the bytes here.", Allow="PUT")
    return await sync_to_async(_blob)(request, run, sha256)


def _blob(request: HttpRequest, run: str, sha256: str) -> HttpResponse:
    speaker = speaking(run, request.headers.get("Authorization", ""))
    if speaker is None:
        return problem(401, STRANGER)
    try:
        body = inflated(_body(request, HOOK_BYTES), request.headers.get("Content-Encoding", ""), HOOK_BYTES)
    except TooBig:
        return problem(413, f"A blob may hold {HOOK_BYTES >> 20} MiB.")
    except BadBatch as fault:
        return problem(400, str(fault))
    if hashlib.sha256(body).hexdigest() != sha256:
        return problem(422, "The bytes do not have the SHA-256 that the address names.")
    facts = {"bytes": len(body), "body": pack(body)}
    made = Blob.objects.get_or_create(run_id=speaker.run_id, sha256=sha256, defaults=facts)[1]
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


def _body(request: HttpRequest, limit: int) -> bytes:
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > limit:
        raise TooBig
    body = request.read(limit + 1)
    if len(body) > limit:
        raise TooBig
    return body


urlpatterns = [
    path("ingest/<str:run>/acp", acp, name="ingest-acp"),
    path("ingest/<str:run>/blobs/<str:sha256>", blob, name="ingest-blob"),
    path("ingest/<str:run>/gitea", gitea, name="ingest-gitea"),
]
