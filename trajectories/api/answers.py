"""How this API answers: orjson out, strong ETags, 304."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from ninja.errors import HttpError

FOREVER = "private, max-age=31536000, immutable"  # the address names the bytes
ASK = "private, no-cache"
ONCE = "private, no-store"


def answer(body: Any) -> HttpResponse:
    """A JSON answer of integers, strings, booleans, null and lists of them."""
    return HttpResponse(orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS), content_type="application/json")


def packed(
    request: HttpRequest, body: Callable[[], bytes], etag: str, media_type: str, keep: str = ASK
) -> HttpResponse:
    """Gzip bytes under a strong ETag, read only for who lacks them; `keep` says whether a browser asks again."""
    quoted = f'"{etag}"'
    headers = {"ETag": quoted, "Cache-Control": keep, "Vary": "Cookie"}
    if _has(request, quoted):
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(body(), content_type=media_type, headers={**headers, "Content-Encoding": "gzip"})


def tagged(request: HttpRequest, found: HttpResponse) -> HttpResponse:
    """The same under the ETag of its bytes, or 304 for who has them."""
    quoted = f'"{hashlib.sha256(found.content).hexdigest()[:32]}"'
    headers = {"ETag": quoted, "Cache-Control": ASK, "Vary": "Cookie"}
    if _has(request, quoted):
        return HttpResponse(status=304, headers=headers)
    for name, value in headers.items():
        found[name] = value
    return found


def _has(request: HttpRequest, quoted: str) -> bool:
    return quoted in [tag.strip() for tag in request.headers.get("If-None-Match", "").split(",")]


def seconds(value: float | None) -> float | None:
    """A moment of a run, if it is one."""
    if value is not None and (not math.isfinite(value) or abs(value) > 1e10):
        raise HttpError(422, "at: must be a number of seconds since run.started")
    return value
