"""Source `mattermost`: the team's chat, by its tables of posts and reactions."""

from __future__ import annotations

from trajectories.sources.mattermost.parse import parse
from trajectories.sources.mattermost.pull import pull

NAME = "mattermost"
RANK = 2
DESCRIPTION = "Channel and direct messages, edits, deletions and reactions, from the chat's own tables."

__all__ = ["DESCRIPTION", "NAME", "RANK", "parse", "pull"]
