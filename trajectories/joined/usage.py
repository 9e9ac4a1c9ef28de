"""Memory and processor of one worker as the monitor sampled them, every ten seconds of its life. No sample is no figure, never zero."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import orjson

from trajectories.models import EventRow

SAMPLE_S = 10
LOOKED_AT = 200_000  # samples of all workers: of a long run of many the last hours are shown
POINTS = 108  # as many as the drawing has pixels


@dataclass(frozen=True, slots=True)
class Usage:
    """`memory` = (seconds of the run, MiB), `processor` = (seconds, thousandths of a core since the sample before)."""

    memory: list[tuple[int, int]]
    processor: list[tuple[int, int]]
    samples: int

    @property
    def memory_now(self) -> int:
        return self.memory[-1][1]

    @property
    def memory_peak(self) -> int:
        return max(mib for _, mib in self.memory)

    @property
    def cores_now(self) -> float | None:
        return self.processor[-1][1] / 1000 if self.processor else None

    @property
    def cores_mean(self) -> float | None:
        return sum(share for _, share in self.processor) / len(self.processor) / 1000 if self.processor else None


def usage(run_id: int, worker: int, t0: int | None, workers: int) -> Usage | None:
    """What was sampled of it; None if nothing was, as in a run that was simulated."""
    rows = EventRow.objects.filter(run_id=run_id, kind="usage.sampled", rank__lt=5)
    newest = rows.order_by("-at").values_list("at", flat=True).first()
    since = (newest or 0) - LOOKED_AT // max(1, workers) * SAMPLE_S * 1000
    own = rows.filter(worker=worker, at__gte=since).order_by("at").values_list("at", "fields")
    told = [(at, orjson.loads(fields)) for at, fields in own]
    if not told:
        return None
    zero = told[0][0] if t0 is None else t0
    memory = [((at - zero) // 1000, int(fields["rss_mb"])) for at, fields in told]
    processor = [
        ((after - zero) // 1000, 1000 * (new["cpu"] - old["cpu"]) // (after - before))
        for (before, old), (after, new) in pairwise(told)
        if after > before and new["cpu"] >= old["cpu"]  # the next life counts from zero
    ]
    return Usage(_thinned(memory), _thinned(processor), len(told))


def _thinned(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The highest of each stretch: a peak must not fall between two pixels. The newest is kept as it is."""
    size = -(-len(points) // POINTS) or 1
    highest = [max(points[n : n + size], key=lambda point: point[1]) for n in range(0, len(points), size)]
    return highest if not points or highest[-1] == points[-1] else [*highest, points[-1]]
