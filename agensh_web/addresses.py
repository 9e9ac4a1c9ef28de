"""One refusal before any view: an address that holds NUL. PostgreSQL raises on NUL in any text, SQLite finds nothing."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from agensh_web.problems import problem

SENTENCE = "The address holds a NUL character (%00); take it out."


class NoNul(MiddlewareMixin):
    """400 where the path or the query holds NUL: a problem document for programs, the error page for people."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        if "\x00" not in request.path_info and b"\x00" not in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            return None
        if request.path_info.startswith(("/api/", "/ingest/")):
            return problem(400, SENTENCE)
        raise BadRequest(SENTENCE)
