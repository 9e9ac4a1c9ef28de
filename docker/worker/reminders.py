"""Reminders: which of `reminders_s` (seconds before the deadline) is due and was not given yet. Pure but for the clock it is handed."""

from __future__ import annotations

from collections.abc import Callable


class Reminders:
    """Each reminder is given once. One that lies before a worker's beginning is not: a run of four minutes has no "5 minutes left".

    `late` = the worker was restarted: it may have missed reminders, and hears the last of them at once.
    """

    def __init__(
        self, before_s: list[int], deadline_at: float, clock: Callable[[], float], *, late: bool = False
    ) -> None:
        self._clock, self._deadline_at = clock, deadline_at
        missed = sorted((seconds for seconds in before_s if deadline_at - seconds <= clock()), reverse=True)
        dropped = missed[:-1] if late else missed
        self._due = [seconds for seconds in sorted(before_s, reverse=True) if seconds not in dropped]

    @property
    def next_at(self) -> float:
        """When the next reminder falls due; infinity if none is left."""
        return self._deadline_at - self._due[0] if self._due else float("inf")

    def take(self) -> float | None:
        """Seconds left, if a reminder is due; it is given now."""
        given = None
        while self._due and self.next_at <= self._clock():
            self._due.pop(0)
            given = max(0.0, self._deadline_at - self._clock())
        return given
