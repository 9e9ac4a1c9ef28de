"""HTTP API of trajectories: State, changes, events, timeline, evidence, bundle, feeds."""

from __future__ import annotations

from ninja import Router

from runs.access import ApiAuth

router = Router(auth=ApiAuth(), tags=["trajectories"])
