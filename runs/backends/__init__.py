"""The registry of backends: where services and workers run. Loaded by name; only `local` exists yet."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

BACKENDS: dict[str, str] = {
    "local": "runs.backends.local",
}


def backend(name: str) -> ModuleType:
    """The module of a backend. Raises KeyError with the known names."""
    if name not in BACKENDS:
        raise KeyError(f"unknown backend {name!r}; known: {', '.join(BACKENDS)}")
    return import_module(BACKENDS[name])
