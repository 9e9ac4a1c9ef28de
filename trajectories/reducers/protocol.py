"""The integration protocol: pull bodies that come to share one form, though nobody told the team which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.behaviours import Behaviours

PULLS = rule("protocol_pulls", 12, "pulls", "The integration protocol is judged by this many of the latest pulls.")
SHARE = rule(
    "protocol_share_ppm",
    750_000,
    "ppm",
    "It is standardised when at least this share of them have the same headings or labels in their bodies, after a time in which less than half had.",
)
AUTHORS = rule("protocol_authors", 3, "authors", "The pulls that have them are by at least this many authors.")
_LINE: Final = re.compile(
    r"^[ \t]*(?:(#{1,6})[ \t]*([^\n#]{1,40}?)[ \t]*|(?:[-*][ \t]+)?\**([^\W\d_][\w /-]{1,30}?)\**[ \t]*[:：=]\**.*|([-*][ \t]+\[[ xX]\]).*)$",
    re.M,
)
_ASKED_FOR: Final = frozenset(["claim", "claims"])  # the tool writes that line
_LONGEST: Final = 4_000


def form(body: str) -> tuple[str, ...]:
    """The headings, labels and boxes of a body, sorted; () if it is plain prose."""
    found = set()
    for _, heading, label, box in _LINE.findall(body[:_LONGEST]):
        word = " ".join((heading or label or "[]").casefold().split()).strip(" :")
        if word and word not in _ASKED_FOR and (heading or box or len(word.split()) <= 3):
            found.add(word)
    return tuple(sorted(found))


class Protocol:
    """Part of the behaviours reducer."""

    def __init__(self, behaviours: Behaviours) -> None:
        self.behaviours = behaviours
        self.state = behaviours.state
        self.facts = self.state.index(
            "protocol"
        )  # latest: ((author, form, ref), ..), varied, shared: the marks in force

    def opened(self, author: Who, body: str, seen: Seen) -> None:
        """A pull was opened: judge the latest."""
        limits = self.behaviours.team.limits
        most = limits.of(PULLS)
        latest = (*self.facts.get("latest", ())[1 - most :], (author, form(body), seen.ref))
        self.state.assign(self.facts, "latest", latest)
        counts: dict[str, int] = {}
        for _, marks, _ in latest:
            for mark in marks:
                counts[mark] = counts.get(mark, 0) + 1
        if 2 * len(latest) >= most and 2 * max(counts.values(), default=0) < len(latest):
            self.state.assign(self.facts, "varied", True)
            self.state.remove(self.facts, "shared")
        if len(latest) < most or not self.facts.get("varied"):
            return
        enough = limits.of(SHARE) * len(latest)
        core = {mark for mark, count in counts.items() if count * 1_000_000 >= enough}
        if not core or not core.isdisjoint(self.facts.get("shared", ())):
            return
        alike = [(who, ref) for who, marks, ref in latest if core.issubset(marks)]
        authors = {who for who, _ in alike}
        if len(authors) >= limits.of(AUTHORS):
            self.state.assign(self.facts, "shared", tuple(sorted(core)))
            self.behaviours.protocol_standardised([ref for _, ref in alike], seen)
