"""Source `gitea`: the team's forge, by its outbox table, by sweeps over REST and, where neither is open, by webhook."""

from __future__ import annotations

from trajectories.sources.gitea.hooks import hook_delivery, verify
from trajectories.sources.gitea.parse import parse
from trajectories.sources.gitea.pull import pull

NAME = "gitea"
RANK = 3
DESCRIPTION = "Branches, pushes, pulls, reviews and comments, from the forge's outbox table and from sweeps over REST."

__all__ = ["DESCRIPTION", "NAME", "RANK", "hook_delivery", "parse", "pull", "verify"]
