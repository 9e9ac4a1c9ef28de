"""Thresholds: declared beside the reducer that uses them, listed here for the page "How this is decided"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from trajectories.reducers.fields import Fields, whole
from trajectories.reducers.state import State

#: Goes up when a rule changes what equal events mean, or the form of a keyframe; those of other versions are folded again.
RULES_VERSION: Final = 7

#: Phases in which the run comes to its end.
CLOSING: Final = frozenset(["stopping", "draining"])

#: What no reducer fills: (what, why), shown where a person would look for it. Nothing is missing at present.
NOT_YET_DERIVED: Final[dict[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Rule:
    """A threshold. A field of the same name in run.started wins over `value`.

    `run_part` > 0: the value is at most the run's length (`duration_s`) divided by it, so that short runs are judged too.
    """

    name: str
    value: int
    unit: str
    sentence: str
    run_part: int = 0


RULES: dict[str, Rule] = {}


def rule(name: str, value: int, unit: str, sentence: str, run_part: int = 0) -> Rule:
    """Declare a threshold. A name is declared once."""
    if name in RULES:
        raise ValueError(f"rule {name} is declared twice")
    RULES[name] = Rule(name, value, unit, sentence, run_part)
    return RULES[name]


class Limits:
    """The thresholds of this run, and when it began and ended."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.values = state.index("limits")

    def begin(self, at: int, fields: Fields) -> None:
        """run.started: its fields win over every constant."""
        if "started_at" not in self.values:
            self.state.assign(self.values, "started_at", at)
        duration = _positive(fields.get("duration_s"))
        for each in RULES.values():
            given = _positive(fields.get(each.name))
            if given is None and each.run_part and duration:
                given = min(each.value, duration // each.run_part)
            if given is not None:
                self.state.assign(self.values, each.name, given)

    def phase(self, at: int, phase: str) -> None:
        """run.phase_changed: from stopping on, workers go because the run does."""
        if phase in CLOSING:
            self.state.assign(self.values, "closing_at", at)
        else:
            self.state.remove(self.values, "closing_at")

    def end(self, at: int) -> None:
        """run.ended."""
        self.state.assign(self.values, "ended_at", at)

    def of(self, each: Rule) -> int:
        """The value that holds in this run."""
        return self.values.get(each.name, each.value)  # type: ignore[no-any-return]

    def ms(self, each: Rule) -> int:
        """A rule in seconds, as milliseconds."""
        return self.values.get(each.name, each.value) * 1000  # type: ignore[no-any-return]

    @property
    def started_at(self) -> int | None:
        """`at` of run.started."""
        return self.values.get("started_at")

    @property
    def closing(self) -> bool:
        """The run is over or about to be: what is lost now, nobody is meant to take over."""
        return "closing_at" in self.values or "ended_at" in self.values

    @property
    def over(self) -> bool:
        """run.ended was seen."""
        return "ended_at" in self.values


def _positive(value: Any) -> int | None:
    found = whole(value)
    if found is None and type(value) is float and value == value and 0 <= value < 2**31:
        found = int(value)
    return found if found is not None and 0 <= found < 2**31 else None
