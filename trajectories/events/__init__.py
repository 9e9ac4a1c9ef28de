"""What was seen: events, their kinds and their canonical order. Pure: no Django, no other room."""

from __future__ import annotations

from trajectories.events.event import Event, reference
from trajectories.events.kinds import KINDS, TALLIES, Kind, is_tally
from trajectories.events.order import RANKS, order_key
from trajectories.events.times import iso, millis

__all__ = [
    "KINDS",
    "RANKS",
    "TALLIES",
    "Event",
    "Kind",
    "is_tally",
    "iso",
    "millis",
    "order_key",
    "reference",
]
