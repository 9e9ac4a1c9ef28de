"""What a worker's tally events add up to: sums and maxima only, so any order of arrival gives the same figures."""

from __future__ import annotations

from typing import Any, Final

from trajectories.events import Event
from trajectories.reducers.fields import count, number, whole
from trajectories.reducers.tables import Row

_TOKENS: Final = ("input_tokens", "cached_tokens", "output_tokens")
_USAGE: Final = (*_TOKENS, "cost_microusd")

#: (what, numbers): `seen` | `step` | `board` upto | `metered` or `session`/`prompt` with the four usage figures.
Entry = tuple[str, Any]
#: The four usage figures, None where nothing was said.
Figures = tuple[int | None, ...]
_NOTHING: Final[Figures] = (None, None, None, None)


#: The entries of most events, each one object: the sums tell them by identity.
STEP: Final[Entry] = ("step", None)
SEEN: Final[Entry] = ("seen", None)
_PLAIN: Final = {"step.started": STEP, "step.finished": SEEN, "text.written": SEEN, "inbox.moved": SEEN}


def entry_of(event: Event) -> Entry | None:
    """The part of a tally event that counts; an event that only shows a sign of life gives `SEEN`, one that shows none None."""
    kind = event.kind
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain
    fields = event.fields
    if kind == "notes.read":
        return ("board", count(fields, "upto"))
    if kind == "request.metered":
        return ("metered", tuple(_figure(fields, name) for name in _USAGE))
    if kind == "usage.reported":
        scope = "prompt" if fields.get("scope") == "prompt" else "session"
        session = whole(fields.get("session"))
        named = str(fields.get("session", ""))[:80] if session is None else str(session)
        return (scope, (named, tuple(_figure(fields, name) for name in _USAGE)))
    return None if kind == "usage.sampled" else SEEN


def _figure(fields: Any, name: str) -> int | None:
    value = number(fields, name)
    return value if value is not None and value >= 0 else None


class Sums:
    """The totals of one worker and life: JSON-able through `dump` and `load`, copied by `copy`."""

    __slots__ = ("_reported", "board", "metered", "requests", "seen", "sessions", "steps")

    def __init__(self) -> None:
        self.seen = 0
        self.steps = 0
        self.board = 0
        self.requests = 0
        self.metered: Figures = _NOTHING
        #: session -> (maxima of session figures, sums of prompt figures)
        self.sessions: dict[str, tuple[Figures, Figures]] = {}
        self._reported: Figures | None = _NOTHING  # what `reported` says, None until it is worked out again

    def add(self, at: int, entry: Entry) -> None:
        """Count one entry."""
        what, value = entry
        if at > self.seen:
            self.seen = at
        if what == "step":
            self.steps += 1
        elif what == "board":
            self.board = max(self.board, value)
        elif what == "metered":
            self.requests += 1
            self.metered = _sum(self.metered, value)
        elif what in ("session", "prompt"):
            session, figures = value
            top, total = self.sessions.get(session, (_NOTHING, _NOTHING))
            self._reported = None
            self.sessions[session] = (_top(top, figures), total) if what == "session" else (top, _sum(total, figures))

    def copy(self) -> Sums:
        """An independent equal."""
        other = Sums()
        other.seen, other.steps, other.board = self.seen, self.steps, self.board
        other.requests, other.metered, other.sessions = self.requests, self.metered, dict(self.sessions)
        other._reported = self._reported
        return other

    def reported(self) -> Figures:
        """Usage as the agents count it: a session's own totals where it gives them, else the sum of its prompts."""
        if self._reported is None:
            total = _NOTHING
            for top, prompts in self.sessions.values():
                total = _sum(total, tuple(p if t is None else t for t, p in zip(top, prompts, strict=True)))
            self._reported = total
        return self._reported

    def dump(self) -> list[Any]:
        """As JSON."""
        sessions = {name: [list(top), list(total)] for name, (top, total) in self.sessions.items()}
        return [self.seen, self.steps, self.board, self.requests, list(self.metered), sessions]

    @classmethod
    def load(cls, data: list[Any]) -> Sums:
        """From JSON."""
        sums = cls()
        sums.seen, sums.steps, sums.board, sums.requests, metered, sessions = data
        sums.metered = tuple(metered)
        sums.sessions = {name: (tuple(top), tuple(total)) for name, (top, total) in sessions.items()}
        sums._reported = None
        return sums


def usage_of(lives: list[Sums]) -> Figures:
    """A worker's usage: from the gateway once it has metered one request, else as reported; never both."""
    total = _NOTHING
    metered = False
    for sums in lives:
        if sums.requests:
            metered = True
    for sums in lives:
        part = sums.metered if metered else sums.reported()
        if part is not _NOTHING:
            total = part if total is _NOTHING else _sum(total, part)
    return total


def columns(lives: list[Sums]) -> Row:
    """The tally columns of a worker's row, `last_seen_at` aside."""
    fresh, cached, out, cost = usage_of(lives)
    steps = board = 0
    for sums in lives:
        steps += sums.steps
        if sums.board > board:
            board = sums.board
    return {
        "input_tokens": fresh or 0,
        "cached_tokens": cached or 0,
        "output_tokens": out or 0,
        "cost_microusd": cost,
        "steps": steps,
        "board_seen": board,
    }


def _sum(a: Figures, b: Figures) -> Figures:
    return tuple(y if x is None else x if y is None else x + y for x, y in zip(a, b, strict=True))


def _top(a: Figures, b: Figures) -> Figures:
    return tuple(y if x is None else x if y is None else max(x, y) for x, y in zip(a, b, strict=True))
