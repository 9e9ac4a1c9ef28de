"""Memory that was needed for a moment, given back: the C library keeps it otherwise, and a web process lives for weeks."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ARENAS, _MAPPED = -8, -3  # M_ARENA_MAX and M_MMAP_THRESHOLD of malloc.h
ARENAS = 2  # the C library would keep a heap of its own for each of dozens of threads
LARGE = 256 * 1024  # bytes from which on a block is mapped by itself, and so given back whole when it is freed


def frugal() -> None:
    """For a process of many threads that lives for weeks: few heaps, and large blocks outside of them. Elsewhere than on glibc nothing happens."""
    try:
        library = ctypes.CDLL(None)
        library.mallopt(_ARENAS, ARENAS)
        library.mallopt(_MAPPED, LARGE)  # said once it stays; by itself it grows with what is freed
    except (AttributeError, OSError):
        return


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); elsewhere nothing happens."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return


class _Uses(threading.local):
    depth = 0


_uses = _Uses()


@contextmanager
def used() -> Iterator[None]:
    """For what takes much memory for a moment: given back once, at the end of the outermost of a thread."""
    _uses.depth += 1
    try:
        yield
    finally:
        _uses.depth -= 1
        if not _uses.depth:
            give_back()
