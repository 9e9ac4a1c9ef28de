"""How far a long step of a launch is, where the page finds it: `monitor["progress"]` of the run's row, in words and as `[done, of]`."""

from __future__ import annotations

import time
from collections.abc import Callable

from runs.models import Run

EVERY_S = 0.4


class Progress:
    """Call it with how many are done of how many; it is written now and then, and raises what `checkpoint` raises."""

    def __init__(self, run: Run, checkpoint: Callable[[], None], what: str) -> None:
        self.run, self.checkpoint, self.what = run, checkpoint, what
        self.told_at = 0.0

    def __call__(self, done: int, of: int) -> None:
        if done < of and time.monotonic() - self.told_at < EVERY_S:
            return
        self.told_at = time.monotonic()
        self.checkpoint()
        told = {"progress": f"{self.what}: {done:,} of {of:,}", "progress_of": [done, of]}
        self.run.monitor = {**self.run.monitor, **told}
        self.run.save(update_fields=["monitor"])
