"""Services: board, forge, chat, model and gateway of the team, as the launcher and the monitor see them."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.fields import stamp, text
from trajectories.reducers.topic import Seen, Topic

LOG_TAIL: Final = 2_000


class Services(Topic):
    """One row a service: up, unhealthy or exited; a start after an exit is a restart."""

    table = "services"

    def on_service_started(self, seen: Seen) -> None:
        """It answers for the first time, or again after its process was started anew."""
        service = text(seen.fields, "service")
        if not service:
            return
        row = self.rows.get(service)
        restarts = 0
        if row is not None:
            before = row["restarts"] if type(row["restarts"]) is int else 0
            restarts = before + 1
        self.put(service, status="up", since=stamp(seen.said), restarts=restarts)
        self.team.tell("service_up", service, seen)

    def on_service_recovered(self, seen: Seen) -> None:
        """It answers again without a restart."""
        if service := text(seen.fields, "service"):
            self.put(service, status="up", since=stamp(seen.said))
            self.team.tell("service_up", service, seen)

    def on_service_exited(self, seen: Seen) -> None:
        """Its process ended."""
        self._down(seen, "exited")

    def on_service_unhealthy(self, seen: Seen) -> None:
        """Its process runs and does not answer."""
        self._down(seen, "unhealthy")

    def _down(self, seen: Seen, status: str) -> None:
        if service := text(seen.fields, "service"):
            log = text(seen.fields, "log_tail")[-LOG_TAIL:]
            self.put(service, status=status, since=stamp(seen.said), last_log=log or None)
            self.team.tell("service_down", service, status, seen)
