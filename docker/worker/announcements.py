"""What is said to a worker besides its inbox: the time left, and the words and nudges of a person or the run."""

from __future__ import annotations

from collections.abc import Callable

from worker import prompts
from worker.commands import Commands
from worker.inbox import Inbox
from worker.reminders import Reminders

Tell = Callable[..., None]


class Announcements:
    """Reminders fall due by the clock; commands are read by `look`. Words wait here, over restarts too, until somebody takes them."""

    def __init__(self, reminders: Reminders, commands: Commands, inbox: Inbox, tell: Tell) -> None:
        self._reminders, self._commands, self._inbox, self._tell = reminders, commands, inbox, tell
        self._nudged = False
        self._said: list[str] = inbox.recall("said", [])

    @property
    def waiting(self) -> bool:
        """Whether a command waits to be heard."""
        return self._nudged or bool(self._said)

    @property
    def next_at(self) -> float:
        """When the next reminder falls due; infinity if none is left."""
        return self._reminders.next_at

    def look(self) -> bool:
        """Read new commands; True if one of them is to stop."""
        stop = False
        for command in self._commands.new():
            name, text = str(command["command"]), command.get("text")
            if name == "say" and isinstance(text, str) and text.strip():
                self._said.append(text.strip())
                self._inbox.remember("said", self._said)
            self._nudged = self._nudged or name == "nudge"
            stop = stop or name == "stop"
            self._inbox.remember("commands", self._commands.place)
        return stop

    def nudged(self) -> bool:
        """Whether a person nudged this worker; once per nudge."""
        was, self._nudged = self._nudged, False
        return was

    def take(self) -> str | None:
        """What is to be said now, once: words first, then a reminder that is due."""
        if self._said:
            text = self._said.pop(0)
            self._inbox.remember("said", self._said)
            self._tell("said", text=text)
            return text
        seconds = self._reminders.take()
        if seconds is None:
            return None
        minutes = prompts.minutes(seconds)
        self._tell("reminder.sent", minutes_left=minutes)
        return prompts.time_left(minutes)
