"""Memory that was needed for a moment, given back: the C library keeps it otherwise, and a web process lives for weeks."""

from __future__ import annotations

import ctypes


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); elsewhere nothing happens."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
