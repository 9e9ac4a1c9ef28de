"""Benches of several parts: which are asked for, and a word about how far a long one is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

NAME = "AGENSH_BENCH_PARTS"


def asked(parts: Iterable[str]) -> list[str]:
    """The parts named in `AGENSH_BENCH_PARTS` (`served,sockets`), all of them if it names none. Raises ValueError for an unknown one."""
    known = list(parts)
    named = [name for name in os.environ.get(NAME, "").split(",") if name]
    if unknown := set(named) - set(known):
        raise ValueError(f"{NAME}: {', '.join(sorted(unknown))}; it takes {', '.join(known)}")
    return named or known


def say(words: str) -> None:
    """One line on standard error: standard output is the answer's."""
    print(words, file=sys.stderr, flush=True)
