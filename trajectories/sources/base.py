"""The contract of a source: raw deliveries in, events out. Parse is pure and total; only pull reads anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trajectories.events import Event


@dataclass(frozen=True, slots=True)
class RawDelivery:
    """A source's raw payload. `at`, `received_at`: ms since the epoch; `id` matches `[A-Za-z0-9._~@-]{1,160}`.

    `body` is the decoded JSON value. `skew_ms` was already added to `at` when the first copy was stored.
    """

    id: str
    seq: int
    at: int
    received_at: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    skew_ms: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A delivery that says nothing we keep, and why. It stays stored; `/evidence` shows the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Pulled:
    """One page read from an outbox. `cursor` is JSON; `newest_at` is the newest row's time, None if none was ever seen.

    `more` = the page was full: read on at once.
    """

    deliveries: list[RawDelivery]
    cursor: Any
    newest_at: int | None = None
    more: bool = False


Parsed = list[Event] | Skipped
