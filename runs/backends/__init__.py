"""The registry of backends: where services and workers run. Loaded by name; each has the same verbs.

`look ran progress environment listening write_plan start command status ensure_supervisor supervisor_alive fault ended kill`: all of them only read
and write the files of a run folder (README), so the processes and containers of a run outlive whoever asked for them.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

BACKENDS: dict[str, str] = {
    "local": "runs.backends.local",
    "compose": "runs.backends.compose",
}


def backend(name: str) -> ModuleType:
    """The module of a backend. Raises KeyError with the known names."""
    if name not in BACKENDS:
        raise KeyError(f"unknown backend {name!r}; known: {', '.join(BACKENDS)}")
    return import_module(BACKENDS[name])


def backend_of(run: Any) -> ModuleType:
    """The backend of a run's row."""
    return backend(str(run.spec.get("backend") or "local"))
