"""Redelivery: the same hook told twice is one fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import Event
from trajectories.reducers.state import State


class Doubles:
    """Remembers the event uuid and the fingerprint (type and body) of every forge hook, pushes by uuid only."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.told = state.index("doubles.told")

    def is_double(self, event: Event, fields: Mapping[str, Any]) -> bool:
        """True if another delivery already said this. Parts of one delivery are told together."""
        if event.source != "gitea":
            return False
        marks = [fields.get("event_uuid")]
        if event.kind != "commits.pushed":
            marks.append(fields.get("fingerprint"))
        double = False
        for mark in marks:
            if type(mark) is not str or not mark:
                continue
            first = self.told.get(mark)
            if first is None:
                self.state.assign(self.told, mark, event.id)
            elif first != event.id:
                double = True
        return double
