"""Reading the board's log on from a cursor, the highest seq read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.sources import log
from trajectories.sources.base import Pulled

BOARD = log.Log("board", "/events", "events", "seq", "SELECT entry FROM log WHERE seq > ? ORDER BY seq LIMIT ?")


def pull(endpoints: Mapping[str, Any], cursor: Any) -> Pulled:
    """The next page of the log. Raises OSError or httpx.HTTPError if it cannot be read."""
    return log.pull(BOARD, endpoints, cursor)
