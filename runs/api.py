"""HTTP API of runs: launch, list, look, cancel and act."""

from __future__ import annotations

from ninja import Router

from runs.access import ApiAuth

router = Router(auth=ApiAuth(), tags=["runs"])
