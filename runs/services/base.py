"""The shape of a real service in a team's stack: what it runs, what it reads, how it is known to be well. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Database:
    """A database of the team's PostgreSQL, as its owner sees it."""

    host: str
    port: int
    name: str
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class RealService:
    """`files` (path relative to the service's folder -> text) are written with mode 0600 before it starts.

    `health_path` answers 200 when it is ready. `compose` holds fields of the backend's `Program` beside the usual ones.
    """

    argv: tuple[str, ...]
    files: Mapping[str, str]
    health_path: str
    memory_bytes: int
    env: Mapping[str, str] = field(default_factory=dict)
    compose: Mapping[str, Any] = field(default_factory=dict)
