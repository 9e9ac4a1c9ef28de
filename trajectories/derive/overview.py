"""How busy each worker was in each part of a run: one byte a lane and part, painted before the columns have come.

The tile `overview`: head `{"version": 1, "start": ms, "width": ms, "bins": n, "workers": [..]}`, then lanes x bins bytes: the share of the
part spent in steps, 0 to 254 in steps of two; the lowest bit says that a step in it failed. `static/js/trajectory/pyramid.js` says the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trajectories.derive.marks import FAILED, KINDS
from trajectories.derive.tiles import pack

BINS = 1_920


def overview(columns: dict[str, Any], bins: int = BINS) -> bytes:
    """The tile, from a timeline's columns (arrays `time`, `duration`, `worker`, `kind`, `flags`; ms since run.started)."""
    steps = np.asarray(columns["kind"]) == KINDS.index("step")
    time, length, worker, flags = (
        np.asarray(columns[name], dtype=np.int64)[steps] for name in ("time", "duration", "worker", "flags")
    )
    length = np.maximum(length, 1)
    workers, lanes = np.unique(worker, return_inverse=True)
    start = int(min(0, time.min())) if len(time) else 0
    end = int((time + length).max()) if len(time) else 1
    width = max(1, -(-(end - start) // bins))
    busy = np.zeros(len(workers) * bins)
    failed = np.zeros(len(workers) * bins, dtype=bool)
    left, stop, base = time - start, time - start + length, lanes * bins
    bad = (flags & FAILED) > 0
    while len(left):  # one part of each step at a time; most lie in one or two
        part = left // width
        edge = np.minimum(stop, (part + 1) * width)
        np.add.at(busy, base + part, edge - left)
        failed[(base + part)[bad]] = True
        more = stop > edge
        left, stop, base, bad = edge[more], stop[more], base[more], bad[more]
    shares = np.clip(np.rint(busy / width * 127), 1, 127).astype(np.uint8) * 2
    shares[busy == 0] = 0
    head = {"version": 1, "start": start, "width": width, "bins": bins, "workers": workers.tolist()}
    return pack(head, (shares | failed).astype(np.uint8).tobytes())
