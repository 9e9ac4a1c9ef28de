"""The event envelope: one thing that was seen, where, when, by or about whom."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Event(NamedTuple):
    """One event of a run.

    `at` and `said_at` are milliseconds since the epoch, UTC. (`source`, `id`, `part`) is unique in a run.
    `worker` is set only where the source itself is bound to a worker (its token, its ACP batch, a run event);
    elsewhere `actor` names who acted (`w0017` or `gitea:alice`) and the fold finds the worker in the roster.
    `fields` holds what the kind declares in `kinds.py`, JSON values only. A tuple, because a run has millions of them.
    """

    at: int
    source: str
    seq: int
    id: str
    part: int
    kind: str
    worker: int | None = None
    actor: str | None = None
    said_at: int | None = None
    fields: Mapping[str, Any] = _NOTHING

    @property
    def ref(self) -> str:
        """The evidence reference: `source:id`, with `#part` when part > 0. An ACP id names its item already."""
        return reference(self.source, self.id, self.part)

    @property
    def said(self) -> int:
        """The time State shows: the source's own where it has one, else `at`."""
        return self.at if self.said_at is None else self.said_at


def reference(source: str, id: str, part: int = 0) -> str:
    """`source:id` or `source:id#part`."""
    return f"{source}:{id}#{part}" if part else f"{source}:{id}"
