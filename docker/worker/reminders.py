"""Reminders: which of `reminders_s` (seconds before the deadline) is due and was not given yet. Pure but for the clock it is handed."""

from __future__ import annotations

from collections.abc import Callable


class Reminders:
    """Each reminder is given once. Of several that are due at once (a worker that joined late) only the last counts."""

    def __init__(self, before_s: list[int], deadline_at: float, clock: Callable[[], float]) -> None:
        self._clock, self._deadline_at = clock, deadline_at
        begun = clock()
        # A worker that starts behind a reminder's time knows the time left from nothing: it is told at once, the latest one only.
        self._due = sorted(before_s, reverse=True)
        late = [seconds for seconds in self._due if deadline_at - seconds <= begun]
        self._due = [seconds for seconds in self._due if seconds not in late[:-1]]

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
