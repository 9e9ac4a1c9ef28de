"""API errors as RFC 9457 problems: `{type, title, status, detail, errors?}` with `application/problem+json`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError


def problem(status: int, detail: str, **more: Any) -> HttpResponse:
    """One problem document. `more` adds members such as `errors`."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **more,
    }
    return HttpResponse(orjson.dumps(body), status=status, content_type="application/problem+json")


def install_problems(api: NinjaAPI) -> None:
    """Let every error of `api` leave as a problem."""

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        errors = [{"field": ".".join(str(p) for p in e["loc"][1:]), "message": e["msg"]} for e in error.errors]
        return problem(422, "; ".join(f"{e['field']}: {e['message']}" for e in errors), errors=errors)

    @api.exception_handler(HttpError)
    def refused(request: HttpRequest, error: HttpError) -> HttpResponse:
        return problem(error.status_code, str(error))

    @api.exception_handler(AuthenticationError)
    def unknown(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
        return problem(401, "Send an API token as “Authorization: Bearer …”, or sign in.")

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, error: Http404) -> HttpResponse:
        return problem(404, str(error) or "There is nothing at this address.")

    @api.exception_handler(PermissionDenied)
    def forbidden(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
        return problem(403, str(error) or "Your role does not allow this.")
