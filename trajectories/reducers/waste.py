"""Waste: repeated failures, duplicate claims, work that never landed. Not yet derived (see rules.NOT_YET_DERIVED)."""

from __future__ import annotations

from trajectories.reducers.topic import Topic


class Waste(Topic):
    """Owns the table `waste`, which stays empty until its rules are decided."""

    table = "waste"
