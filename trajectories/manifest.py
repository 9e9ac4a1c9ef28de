"""What a run's timeline consists of: its pieces and tiles by name, so that whoever reads it asks for bytes that never change."""

from __future__ import annotations

from typing import Any

from trajectories.derive import tiles
from trajectories.derive.marks import KINDS
from trajectories.models import Segment, Stream, Tile

SEGMENT = ("k", "rows", "t_min", "t_max", "bytes", "etag")
TILE = ("name", "bytes", "etag")


def manifest(stream: Stream) -> dict[str, Any]:
    """`{"version","generation","t0","sorted","kinds","segments","tiles"}` of this generation; times in ms since `t0`."""
    mine = {"run_id": stream.run_id, "generation": stream.generation}
    segments = Segment.objects.filter(**mine).order_by("k").values(*SEGMENT)
    head = {"version": 1, "generation": stream.generation, "t0": stream.t0, "sorted": stream.settled}
    return {
        **head,
        "kinds": list(KINDS),
        "segments": list(segments),
        "tiles": list(Tile.objects.filter(**mine).exclude(name__startswith=tiles.READING).values(*TILE)),
    }
