"""`/api`: the HTTP API for people to read, made from the same schema that `openapi.json` serves to programs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from agensh_web.api import api
from runs.access import gate


@require_safe
@gate("viewer")
def api_page(request: HttpRequest) -> HttpResponse:
    """Every call by room: method, address, what it promises, its parameters."""
    rooms: dict[str, list[dict[str, Any]]] = {}
    for address, methods in api.get_openapi_schema()["paths"].items():
        for method, call in methods.items():
            room = (call.get("tags") or ["trajectories"])[0]
            rooms.setdefault(room, []).append(_call(address, method, call))
    return render(request, "api.html", {"rooms": rooms.items()})


def _call(address: str, method: str, call: dict[str, Any]) -> dict[str, Any]:
    given = [_parameter(p) for p in call.get("parameters", []) if p["in"] != "path"]
    return {
        "method": method.upper(),
        "address": address,
        "says": _marked(call.get("description", "")),
        "parameters": given,
    }


def _marked(says: str) -> SafeString:
    """What a call says of itself, with `code` between backticks as code."""
    parts = says.split("`")
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if k % 2 else part,) for k, part in enumerate(parts))
    )


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter["schema"]
    kinds = [part.get("type") for part in schema.get("anyOf", [schema])]
    told = {"name": parameter["name"], "type": " or ".join(kind for kind in kinds if kind and kind != "null")}
    bounds = [schema[bound] for bound in ("minimum", "maximum") if bound in schema]
    told["range"] = f"{bounds[0]:,} to {bounds[1]:,}" if len(bounds) == 2 else ""
    return told | {"default": schema.get("default") or ""}
