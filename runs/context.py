"""What every template knows about who is looking."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from runs.access import caller


def viewer(request: HttpRequest) -> dict[str, Any]:
    """`viewer`: the caller, or None for a stranger."""
    return {"viewer": caller(request)}
