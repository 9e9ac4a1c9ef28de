"""Events of one stack as the engine tells them, each once; a listener that lost its engine goes on from where it was."""

from __future__ import annotations

import time
from collections.abc import Callable

from runs.backends.compose import engine

AGAIN_S = 1


def listen(site: str, run: int, since_ms: int, left: Callable[[], bool], tell: Callable[[str, object], None]) -> None:
    """From a moment on, until `left()`: `tell("event", event)` for each, `tell("progress", text)` when the engine stops telling."""
    since = heard = since_ms * 1_000_000
    while not left():
        try:
            for event in engine.events(site, run, since // 10**9):
                since = int(event.get("timeNano") or since)
                if since > heard:  # the engine is asked by the second, and may tell some of it again
                    heard = since
                    tell("event", event)
        except Exception as problem:
            tell("progress", f"the engine's events stopped: {problem}")
        time.sleep(AGAIN_S)
