"""The registry of harnesses: what to start for a worker, and how it speaks. Pure: no processes, no backend.

A harness is a module with `NAME`, `DESCRIPTION`, `command(worker) -> Command` and `DIALECT`; one of npm has a `PACKAGE`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType

from runs.harnesses.dialect import Dialect
from runs.harnesses.packages import Package

HARNESSES: dict[str, str] = {
    "mini": "runs.harnesses.mini",
    "copilot": "runs.harnesses.copilot",
    "claude": "runs.harnesses.claude",
    "codex": "runs.harnesses.codex",
}
# Our own agent; every other is a program we did not write, which on `local` needs the sandbox or AGENSH_ALLOW_UNSANDBOXED=1.
TRUSTED = frozenset({"mini"})
# What a worker takes at its peak in MiB, measured, for preflight: its loop (60), the agent after a prompt (mini 44, Copilot 283,
# Claude 328, Codex 270) and, for `mini`, what its shell runs. The ceiling of a run (`memory_gib`) is a limit, no reservation.
NEED_MIB = {"mini": 180, "copilot": 350, "claude": 400, "codex": 340}


def need(harnesses: Iterable[tuple[str, int]]) -> int:
    """Bytes that so many workers on each of these harnesses take; one that nobody measured counts as the largest."""
    most = max(NEED_MIB.values())
    return sum(NEED_MIB.get(name, most) * count for name, count in harnesses) << 20


def harness(name: str) -> ModuleType:
    """The module of a harness. Raises KeyError with the known names."""
    if name not in HARNESSES:
        raise KeyError(f"unknown harness {name!r}; known: {', '.join(HARNESSES)}")
    return import_module(HARNESSES[name])


@cache
def dialect(name: str) -> Dialect:
    """How a harness speaks; the plain dialect for one we do not know (a bundle may come from anywhere)."""
    found: Dialect = harness(name).DIALECT if name in HARNESSES else Dialect()
    return found


def package(name: str) -> Package | None:
    """The npm package of a harness, None for our own."""
    return getattr(harness(name), "PACKAGE", None)
