"""Source `gitea`: the team's forge, by its outbox table, by sweeps over REST and, where neither is open, by webhook."""

from __future__ import annotations

from trajectories.sources.gitea.hooks import hook_delivery, verify
from trajectories.sources.gitea.parse import parse
from trajectories.sources.gitea.pull import pull

NAME = "gitea"
RANK = 3
DESCRIPTION = "Branches, pushes, pulls, reviews and comments, from the forge's outbox table and from sweeps over REST."
SWEPT = "Gitea sends nothing for this; seen by sweep, up to 10 s late."
LIMITS = (
    "Gitea sends nothing when an approval is dismissed, given back or made stale, when a review is deleted, or when a pull "
    "comes into conflict: these are seen by a sweep, up to 10 s late, and carry the time they were seen.",
    "A hook says that a review was given, not which one: its number and the comments inside it are read by the next sweep.",
    "A comment deleted while nobody kept its hook leaves no trace.",
    "Hooks come in the order Gitea wrote them: a pull may be told before the branch and the push it was opened from.",
)

__all__ = ["DESCRIPTION", "LIMITS", "NAME", "RANK", "SWEPT", "hook_delivery", "parse", "pull", "verify"]
