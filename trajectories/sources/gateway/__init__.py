"""Source `gateway`: the ledger of model requests, one row each."""

from __future__ import annotations

from trajectories.sources.gateway.parse import parse
from trajectories.sources.gateway.pull import pull

NAME = "gateway"
RANK = 4
DESCRIPTION = "Model requests with their tokens and cost, from the gateway's ledger."

__all__ = ["DESCRIPTION", "NAME", "RANK", "parse", "pull"]
