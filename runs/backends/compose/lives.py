"""What the supervisor of a stack has said of each program, and what it should say next. Pure bookkeeping, no engine.

The engine tells twice (an event, and a look that makes up for lost events), so whatever was said already is not said again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Say = Callable[..., None]
REVIVED_S = 12  # a service that nobody started again by then is started by us
SLACK_MS = 1_000  # the engine's event of a start and the time its inspection tells may be so far apart
STARVED_MS = 3_000  # an exit that the memory limit caused is told at once; after so long it was only a child that died


@dataclass(slots=True)
class Known:
    """One program: the newest life, the container it runs in, and what was said of it."""

    name: str
    service: bool = True
    life: int = 0
    container: str = ""
    running: bool = False  # as said
    began: int = 0  # ms; the start that was said last
    stopping: bool = False
    spec: dict[str, Any] = field(default_factory=dict)
    due_at: float = 0.0  # Unix time; 0 = not to be started
    starved_at: int = 0  # ms; when the memory limit last killed something of it, 0 = told or never
    well: bool = True  # as its healthcheck finds it


class Lives:
    """Every program of a stack by name. `say(name, life, state, **more)` writes a status line."""

    def __init__(self, say: Say) -> None:
        self.known: dict[str, Known] = {}
        self._say = say
        self.ending = False

    def of(self, name: str, service: bool = True) -> Known:
        return self.known.setdefault(name, Known(name, service))

    def recall(self, line: dict[str, Any], service: bool) -> None:
        """A status line that an earlier supervisor wrote."""
        known = self.of(str(line["proc"]), service)
        known.life, known.running = int(line["life"]), line["state"] == "started"
        known.container = str(line.get("container") or known.container)
        if known.running:
            known.began = int(line["at"])

    def started(self, name: str, life: int, container: str, moment: int) -> None:
        """A container of the program runs. `life` is that of a worker; a service lives once more each time."""
        known = self.of(name, life == 0)
        if known.running and known.container == container:
            return
        known.life = life or known.life + 1
        known.container, known.running, known.due_at, known.starved_at = container, True, 0.0, 0
        known.began = moment
        self._say(name, known.life, "started", at=moment, container=container)

    def exited(self, name: str, container: str, code: int, moment: int) -> None:
        """Its container stopped. An exit that the engine tells as 128 + n was signal n."""
        known = self.known.get(name)
        if known is None or not known.running or known.container != container or moment < known.began:
            return
        known.running = False
        signal = code - 128 if code > 128 else None
        expected = known.stopping or self.ending or (code == 0 and not known.service)
        out_of_memory = bool(known.starved_at) and signal == 9
        known.starved_at = 0
        if (
            known.service and not self.ending
        ):  # the engine starts it again, unless somebody killed it by the engine's own command
            known.due_at = moment / 1000 + REVIVED_S
        self._say(
            name,
            known.life,
            "exited",
            at=moment,
            code=None if signal else code,
            signal=signal,
            expected=expected,
            oom=out_of_memory,
        )

    def revived(self, name: str, container: str, ended: int, began: int) -> None:
        """A service's container runs since `began`, and so did not before: the engine keeps few events, and both may be lost while nobody listened."""
        known = self.known.get(name)
        if known is None or not known.running or known.container != container or began <= known.began + SLACK_MS:
            return
        known.running = False
        facts = {"code": None, "signal": None, "expected": known.stopping or self.ending, "oom": False, "lost": True}
        self._say(name, known.life, "exited", at=max(ended, known.began), **facts)
        self.started(name, 0, container, began)

    def starved(self, container: str, moment: int) -> None:
        """The kernel killed something of the container for want of memory: it, or a child of it."""
        for known in self.known.values():
            if known.container == container:
                known.starved_at = moment

    def child_starved(self, moment: int) -> None:
        """Say of each program that lost a child to the memory limit, and lives on, that it did; once."""
        for known in self.known.values():
            if known.running and known.starved_at and moment - known.starved_at > STARVED_MS:
                self._say(known.name, known.life, "child_oom", at=known.starved_at)
                known.starved_at = 0

    def health(self, container: str, well: bool, moment: int) -> None:
        """What a healthcheck found; only a change is said."""
        for known in self.known.values():
            if known.container == container and known.running and known.well != well:
                known.well = well
                self._say(known.name, known.life, "healthy" if well else "unhealthy", at=moment)

    def spent(self) -> list[str]:
        """Containers of workers that were told to stop and did; each is given once."""
        over = [k for k in self.known.values() if k.stopping and k.container and not (k.running or k.service)]
        gone = [known.container for known in over]
        for known in over:
            known.container = ""
        return gone

    def due(self, moment: float) -> list[Known]:
        """Programs to start now."""
        return [k for k in self.known.values() if k.due_at and k.due_at <= moment and not k.stopping and not k.running]

    def accept(self, line: dict[str, Any]) -> None:
        """A life that was asked for; asked again for the same life, nothing happens."""
        known = self.of(str(line["proc"]), False)
        if int(line["life"]) > known.life:
            known.life, known.spec, known.stopping = int(line["life"]), dict(line["program"]), False
            known.due_at = max(1.0, int(line.get("start_at") or 0) / 1000)
