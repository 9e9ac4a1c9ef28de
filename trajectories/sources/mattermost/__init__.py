"""Source `mattermost`: the team's chat, by its tables of posts and reactions."""

from __future__ import annotations

from trajectories.sources.mattermost.parse import parse
from trajectories.sources.mattermost.pull import pull

NAME = "mattermost"
RANK = 2
DESCRIPTION = "Channel and direct messages, edits, deletions and reactions, from the chat's own tables."
# What the chat's tables do not tell, for the page of a delivery.
LIMITS = (
    "A reaction that is taken back and given again between two readings is seen as given, not as taken back.",
    "Deleting a thread marks replies that were deleted before a second time: such a reply is told as deleted twice.",
    "Who read a message is not kept by the chat; the worker's own inbox tells it.",
)

__all__ = ["DESCRIPTION", "LIMITS", "NAME", "RANK", "parse", "pull"]
