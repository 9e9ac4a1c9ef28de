"""Figures with their ceilings, measured in the same run on the same database, so that only the ratio counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trajectories.bench.asleep import asleep
from trajectories.bench.bootstrapping import bootstrap
from trajectories.bench.browsing import browsing
from trajectories.bench.compose import compose
from trajectories.bench.dashboards import dashboards
from trajectories.bench.demo import demo
from trajectories.bench.gateway import gateway
from trajectories.bench.ingest import ingest
from trajectories.bench.live import live
from trajectories.bench.meaning import meaning
from trajectories.bench.real import real
from trajectories.bench.scale import scale
from trajectories.bench.searching import searching
from trajectories.bench.visible import visible
from trajectories.bench.watched import watched
from trajectories.bench.worker import worker

BENCHES: dict[str, Callable[[], dict[str, Any]]] = {
    "ingest": ingest,
    "live": live,
    "gateway": gateway,
    "meaning": meaning,
    "visible": visible,
    "demo": demo,
    "dashboards": dashboards,
    "asleep": asleep,
    "watched": watched,
    "browsing": browsing,
    "worker": worker,
    "compose": compose,
    "bootstrap": bootstrap,
    "real": real,
    "scale": scale,
    "search": searching,
}
