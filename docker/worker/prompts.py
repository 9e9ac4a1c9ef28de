"""The words a worker's agent is given: the first prompt from the template, and the short texts of later turns. Pure."""

from __future__ import annotations

import json
import math

from worker.inbox import Item
from worker.times import iso

NEWS = "You have new messages."
NUDGE = (
    "Nothing happened for a while. Read the board and the pulls and take the most useful next step: a review somebody waits for, "
    "an approved pull nobody merged, a sub-task nobody holds or that its holder lost."
)
GO_ON = "Go on where you stopped."
REFUSED = "A permission that you asked for was refused: that is not allowed here. Go on without it."
RESTARTED = (
    "You were restarted. Your files are as you left them; read the board and the pulls to see where the team is."
)
RESUMED = (
    "You were interrupted and go on in the same conversation. What was running when it happened did not end, and its result is lost. "
    "Read the board and the pulls to see where the team is, then go on."
)
ALONE = (
    "Use all of your time: {left} are left and nobody else works on this. Test the program against the documentation, look for what "
    "differs, mend it, and merge."
)


def fill(template: str, values: dict[str, str]) -> str:
    """The template with `{{name}}` and the like filled in; what is unknown stays."""
    for name, value in values.items():
        template = template.replace("{{" + name + "}}", value)
    return template


def opening(prompt: str, *, again: bool, resumed: bool) -> str:
    """The first words in a session: the prompt; after a restart with what happened, or that alone where the session is the same."""
    if resumed:
        return RESUMED
    return f"{RESTARTED}\n\n{prompt}" if again else prompt


def nudge(alone: bool, seconds: float) -> str:
    """The words for a worker that waits for nothing in particular."""
    if not alone:
        return NUDGE
    return ALONE.format(left=f"{minutes(seconds)} minutes" if math.isfinite(seconds) else "hours")


def stamped(text: str, now: float, items: list[Item] | None = None) -> str:
    """A turn's text: the words, the run's time, and the inbox as one line of JSON."""
    lines = [text.rstrip(), "", f"Now: {iso(int(now * 1000))}"]
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
