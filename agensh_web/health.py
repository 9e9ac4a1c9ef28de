"""Health for proxies and supervisors: `live` = the process answers, `ready` = it can reach its database."""

from __future__ import annotations

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse


def live(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers."""
    return JsonResponse({"ok": True})


def ready(request: HttpRequest) -> JsonResponse:
    """200 when a query succeeds, else 503 with the reason."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as problem:
        return JsonResponse({"ok": False, "database": str(problem).splitlines()[0]}, status=503)
    return JsonResponse({"ok": True})
