"""Rows of trajectories: deliveries, events, changes and their caches, counters and feed health."""

from __future__ import annotations

from trajectories.models.delivery import Blob, Delivery, Spool
from trajectories.models.derived import Change, Keyframe, Segment, Tile
from trajectories.models.event import EventRow
from trajectories.models.job import ImportJob
from trajectories.models.pack import ChangePack, Pack
from trajectories.models.searched import Reach, SearchPart
from trajectories.models.stream import Feed, Stream, now_ms

__all__ = [
    "Blob",
    "Change",
    "ChangePack",
    "Delivery",
    "EventRow",
    "Feed",
    "ImportJob",
    "Keyframe",
    "Pack",
    "Reach",
    "SearchPart",
    "Segment",
    "Spool",
    "Stream",
    "Tile",
    "now_ms",
]
