"""Figures with their ceilings, measured in the same run on the same database, so that only the ratio counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trajectories.bench.ingest import ingest
from trajectories.bench.live import live
from trajectories.bench.meaning import meaning

BENCHES: dict[str, Callable[[], dict[str, Any]]] = {"ingest": ingest, "live": live, "meaning": meaning}
