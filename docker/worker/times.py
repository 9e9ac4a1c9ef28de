"""The worker's clock in the words of the interfaces."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_iso() -> str:
    """ISO 8601, UTC, milliseconds."""
    return iso(time.time_ns() // 1_000_000)


def iso(ms: int) -> str:
    """Milliseconds since the epoch as ISO 8601."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"
