"""Figures with their ceilings, measured in the same run on the same database, so that only the ratio counts."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

#: name -> the module and its function, imported when it is asked for: processes that a bench starts know nothing of the app.
BENCHES = {
    "ingest": "ingest:ingest",
    "live": "live:live",
    "gateway": "gateway:gateway",
    "meaning": "meaning:meaning",
    "visible": "visible:visible",
    "demo": "demo:demo",
    "dashboards": "dashboards:dashboards",
    "asleep": "asleep:asleep",
    "watched": "watched:watched",
    "browsing": "browsing:browsing",
    "worker": "worker:worker",
    "compose": "compose:compose",
    "bootstrap": "bootstrapping:bootstrap",
    "real": "real:real",
    "scale": "scale:scale",
    "search": "searching:searching",
}


def bench(name: str) -> Callable[[], dict[str, Any]]:
    """What measures that. Raises KeyError for a name that is none of BENCHES."""
    module, _, function = BENCHES[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), function)  # type: ignore[no-any-return]
