"""From events to meaning: the live deriver, its change log and keyframes, the final fold, the timeline."""

from __future__ import annotations

from trajectories.derive.deriver import Deriver
from trajectories.derive.settle import settle

__all__ = ["Deriver", "settle"]
