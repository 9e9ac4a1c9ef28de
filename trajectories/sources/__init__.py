"""The registry of sources. A source is a folder with `parse` and, where it reads an outbox, `pull`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

SOURCES: dict[str, str] = {
    "run": "trajectories.sources.run",
    "board": "trajectories.sources.board",
    "mattermost": "trajectories.sources.mattermost",
    "gitea": "trajectories.sources.gitea",
    "gateway": "trajectories.sources.gateway",
    "acp": "trajectories.sources.acp",
}


@cache
def source(name: str) -> ModuleType:
    """The module of a source. Raises KeyError with the known names."""
    if name not in SOURCES:
        raise KeyError(f"unknown source {name!r}; known: {', '.join(SOURCES)}")
    return import_module(SOURCES[name])


def limits(name: str) -> tuple[str, ...]:
    """What a source cannot tell, in sentences for people. Nothing for a name that is no source."""
    return tuple(getattr(source(name), "LIMITS", ())) if name in SOURCES else ()
