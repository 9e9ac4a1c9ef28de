"""Starting programs of a stack: one call of Compose at a time, each checked on what Compose made of it, each can be broken off."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from runs.backends.compose import composing
from runs.backends.compose.allowed import faults
from runs.backends.compose.lives import Known
from runs.backends.compose.stack import Program, Stack, render
from runs.backends.files import write_whole

# Workers in one call: each call costs about a second of its own, and a thousand at once would drown the engine.
AT_ONCE = 64
AGAIN_S = 5


class Starting:
    """Starts what is due in a thread of its own; `tell(what, told)` puts progress and faults where the main thread reads them."""

    def __init__(
        self, folder: Path, whole: Stack, images: Collection[str], tell: Callable[[str, object], None]
    ) -> None:
        self.folder, self.whole, self.images, self._tell = folder, whole, images, tell
        self.file = folder / "stack.json"
        self.broken_off = threading.Event()
        self._job: threading.Thread | None = None

    def start_due(self, due: list[Known], programs: Mapping[str, Program]) -> None:
        """Services first, then workers in handfuls."""
        if self._job and self._job.is_alive():
            return
        chosen = [known for known in due if known.service] or due[:AT_ONCE]
        if not chosen:
            return
        for known in chosen:
            known.due_at = 0.0
        self._job = threading.Thread(target=self._start, args=(chosen, dict(programs)), daemon=True)
        self._job.start()

    def break_off(self) -> None:
        """End a call that is under way; what it has made is left for whoever takes the stack down."""
        self.broken_off.set()
        if self._job:
            self._job.join(15)

    def _start(self, chosen: list[Known], programs: Mapping[str, Program]) -> None:
        stack = replace(self.whole, programs=tuple(programs[known.name] for known in chosen))
        services = all(known.service for known in chosen)
        # The services' document is kept: it is what the stack is taken down by.
        file = self.file if services else self.folder / "workers.json"
        try:
            write_whole(file, json.dumps(render(stack), indent=1))
            resolved = composing.resolved(stack.project, file)
            if bad := faults(resolved, str(self.folder), self.images, stack.network):
                raise composing.ComposeError("the stack asks for what is not allowed: " + "; ".join(bad[:5]))
            composing.up(
                stack.project,
                file,
                [known.name for known in chosen],
                progress=lambda what, text: self._tell("progress", f"{what} {text}".strip()),
                stopped=self.broken_off.is_set,
                anew=not services,
            )
        except composing.Stopped:
            return
        except (composing.ComposeError, OSError, ValueError) as problem:
            for known in chosen:
                known.due_at = time.time() + AGAIN_S  # the engine may come back; the launch gives up by itself
            self._tell("fault", str(problem))
