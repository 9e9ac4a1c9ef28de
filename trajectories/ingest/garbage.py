"""Fewer looks for garbage while millions of small things are read: each look goes over all that is held, and finds nothing."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (50_000, 20, 50)
_guard = threading.Lock()
_within = 0
_before = gc.get_threshold()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect seldom inside; may be nested, and entered by several threads at once."""
    global _within, _before
    with _guard:
        if _within == 0:
            _before = gc.get_threshold()
            gc.set_threshold(*SELDOM)
        _within += 1
    try:
        yield
    finally:
        with _guard:
            _within -= 1
            if _within == 0:
                gc.set_threshold(*_before)
