"""What the gateway itself says to a worker: errors that all three APIs' clients can read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

TYPES = {400: "invalid_request_error", 401: "authentication_error", 402: "budget_spent", 404: "not_found_error"}
TYPES |= {
    413: "request_too_large",
    429: "rate_limit_error",
    502: "upstream_error",
    503: "overloaded_error",
    504: "timeout_error",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def ok(value: Any) -> Answer:
    """A success, in pure ASCII."""
    return Answer(200, json.dumps(value, separators=(",", ":")).encode())


def problem(status: int, message: str, code: str = "", **headers: str) -> Answer:
    """An error in the shape of OpenAI's and Anthropic's at once."""
    kind = TYPES.get(status, "api_error")
    error = {"type": kind, "code": code or kind, "message": message, "param": None}
    return Answer(status, json.dumps({"type": "error", "error": error}).encode(), headers)
