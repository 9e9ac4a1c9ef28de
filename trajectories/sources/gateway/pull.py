"""Reading the gateway's ledger on from a cursor, the highest n read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.sources import log
from trajectories.sources.base import Pulled

LEDGER = log.Log("gateway", "/ledger", "rows", "n", "SELECT row FROM ledger WHERE n > ? ORDER BY n LIMIT ?")


def pull(endpoints: Mapping[str, Any], cursor: Any) -> Pulled:
    """The next page of the ledger. Raises OSError or httpx.HTTPError if it cannot be read."""
    return log.pull(LEDGER, endpoints, cursor)
