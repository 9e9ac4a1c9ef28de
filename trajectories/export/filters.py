"""Which part of a run is taken away: the same filters for pages, API and command."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from trajectories.events import KINDS
from trajectories.export.words import holding
from trajectories.readings.claims import FILTERS as CLAIM_STATUSES
from trajectories.readings.claims import SORTS as CLAIM_SORTS
from trajectories.readings.pulls import FILTERS as PULL_FATES
from trajectories.readings.pulls import SORTS as PULL_SORTS
from trajectories.search.query import Unclear

WORKERS = 65_535
LONGEST_S = 1e10
CHOICES = {"status": CLAIM_STATUSES, "fate": PULL_FATES, "sort": (*CLAIM_SORTS, *PULL_SORTS)}


class BadFilter(ValueError):
    """A filter cannot be used; the message names it and the fix."""


@dataclass(frozen=True, slots=True)
class Filters:
    """`kind` is a kind of event, `pull.*` or several by comma; `since` and `until` are seconds since run.started, both included.

    `words` must be found in a row's texts; `status`, `fate` and `sort` are those of the ledgers of claims and pulls, and hold for these alone.
    """

    worker: int | None = None
    kind: str = ""
    since: float | None = None
    until: float | None = None
    words: str = ""
    status: str = ""
    fate: str = ""
    sort: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, Any]) -> Filters:
        """From text or numbers; empty = no filter. Raises BadFilter."""
        kind = str(asked.get("kind") or "").strip()
        for name in filter(None, (each.strip() for each in kind.split(","))):
            if not any(known == name or (name.endswith("*") and known.startswith(name[:-1])) for known in KINDS):
                raise BadFilter(f"kind: {name[:60]!r} is no kind of event; for example pull.merged or review.*")
        chosen = {name: _one_of(asked, name, known) for name, known in CHOICES.items()}
        words = str(asked.get("q") or "").replace("\0", "").strip()[:200]
        try:
            holding(words)
        except Unclear as problem:
            raise BadFilter(str(problem)) from None
        span = (_seconds(asked, "since"), _seconds(asked, "until"))
        return cls(_worker(asked.get("worker")), kind, *span, words, **chosen)

    def query(self) -> str:
        """As the query of an address."""
        said = {"worker": self.worker, "kind": self.kind, "since": self.since, "until": self.until, "q": self.words}
        said |= {name: getattr(self, name) for name in CHOICES}
        return urlencode({name: value for name, value in said.items() if value not in (None, "")})

    def span(self, zero: int | None) -> tuple[int, int]:
        """The earliest and latest time in ms; `zero` is run.started's."""
        low = -(2**62) if self.since is None else (zero or 0) + round(self.since * 1000)
        return low, 2**62 if self.until is None else (zero or 0) + round(self.until * 1000)


def _worker(value: Any) -> int | None:
    if value in (None, ""):
        return None
    text = str(value).strip()
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= WORKERS and len(text) < 9):
        raise BadFilter(f"worker: must be a number from 1 to {WORKERS}")
    return int(text)


def _one_of(asked: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    value = str(asked.get(name) or "")
    if value and value not in known:
        raise BadFilter(f"{name}: must be one of {', '.join(known)}")
    return value


def _seconds(asked: Mapping[str, Any], name: str) -> float | None:
    value = asked.get(name)
    if value in (None, ""):
        return None
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) > LONGEST_S:
        raise BadFilter(f"{name}: must be a number of seconds since run.started")
    return number
