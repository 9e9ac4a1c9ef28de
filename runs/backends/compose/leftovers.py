"""Stacks that no run needs: left by a launcher that was killed while it took one down, or by a database that was restored."""

from __future__ import annotations

import logging
from pathlib import Path

from runs.backends.compose import engine, site

log = logging.getLogger(__name__)


def remove(data: Path, active: set[int]) -> list[int]:
    """Remove what this installation has on the engine for runs that are not under way; gives their ids."""
    here = site(data / "runs" / "any")
    gone = sorted(engine.runs(here) - active)
    for run in gone:
        count = engine.remove_all(here, run)
        log.warning("the stack of run %s was left over: removed, %s containers", run, count)
    return gone
