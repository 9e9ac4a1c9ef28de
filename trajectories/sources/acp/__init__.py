"""Source `acp`: what the agents and their turn loops said, in batches the workers ship."""

from __future__ import annotations

from trajectories.sources.acp.parse import parse

NAME = "acp"
RANK = 5
DESCRIPTION = "Turns, steps, texts and tokens of the agents, shipped by the workers' taps."

__all__ = ["DESCRIPTION", "NAME", "RANK", "parse"]
