"""Source `run`: what the launcher, the monitor and the scorer did, read from the run's own outbox table."""

from __future__ import annotations

from trajectories.sources.run.parse import parse
from trajectories.sources.run.pull import pull

NAME = "run"
RANK = 0
DESCRIPTION = "What the launcher, the monitor and the scorer did, from the run's own outbox table."

__all__ = ["DESCRIPTION", "NAME", "RANK", "parse", "pull"]
