"""The words a worker's agent is given: the first prompt from the template, and the short texts of later turns. Pure."""

from __future__ import annotations

import json
import math

from worker.inbox import Item
from worker.times import now_iso

NEWS = "You have new messages."
NUDGE = (
    "Nothing happened for a while. Read the board and the pulls and take the most useful next step: a review somebody waits for, "
    "an approved pull nobody merged, a sub-task nobody holds or that its holder lost."
)
GO_ON = "Go on where you stopped."
RESTARTED = (
    "You were restarted. Your files are as you left them; read the board and the pulls to see where the team is."
)


def fill(template: str, values: dict[str, str]) -> str:
    """The template with `{{name}}` and the like filled in; what is unknown stays."""
    for name, value in values.items():
        template = template.replace("{{" + name + "}}", value)
    return template


def stamped(text: str, items: list[Item] | None = None) -> str:
    """A turn's text: the words, the time, and the inbox as one line of JSON."""
    lines = [text.rstrip(), "", f"Now: {now_iso()}"]
    if items:
        lines.append(json.dumps({"inbox": [item.shown() for item in items]}, ensure_ascii=False))
    return "\n".join(lines)


def time_left(minutes: int) -> str:
    """A reminder."""
    if minutes <= 10:
        return (
            f"{minutes} minutes are left. Merge what is approved, leave nothing half done on main, start nothing new."
        )
    return f"{minutes} minutes are left. Finish what you hold before you claim more."


def minutes(seconds: float) -> int:
    """Seconds left as whole minutes, rounded up, never below zero."""
    return max(0, math.ceil(seconds / 60))
