"""The registry of harnesses: what to start for a worker. A harness is a module with `command(worker) -> Command`. Pure."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

HARNESSES: dict[str, str] = {
    "mini": "runs.harnesses.mini",
}
# Harnesses that run an agent we did not write: on `local` they need a sandbox or AGENSH_ALLOW_UNSANDBOXED=1.
TRUSTED = frozenset({"mini"})


def harness(name: str) -> ModuleType:
    """The module of a harness. Raises KeyError with the known names."""
    if name not in HARNESSES:
        raise KeyError(f"unknown harness {name!r}; known: {', '.join(HARNESSES)}")
    return import_module(HARNESSES[name])
