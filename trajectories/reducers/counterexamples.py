"""Why an approval was withdrawn: the withdrawing review's words, else what its reviewer wrote about the pull elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.reviews import Reviews

LONGEST: Final = 300
AFTERWARDS = rule(
    "counterexample_after_s",
    600,
    "s",
    "A FAIL note or message that names the pull explains a withdrawal from the approval until this long after it.",
)


class Counterexamples:
    """Part of the reviews reducer."""

    def __init__(self, reviews: Reviews) -> None:
        self.reviews = reviews
        self.state = reviews.state
        self.latest = self.state.index("reviews.mentions")  # (reviewer, pull) -> (at, words, ref)
        self.awaited = self.state.index("reviews.awaited")  # (reviewer, pull) -> (key, until)

    def withdrawn(self, key: str, pull: int, words: str, approved: int, seen: Seen) -> None:
        """The review's own words if it has any, else the newest mention since the approval, else the next ones."""
        row = self.reviews.rows[key]
        if words:
            self.reviews.put(key, counterexample=words[:LONGEST])
            return
        whose = (row["reviewer"], pull)
        mention = self.latest.get(whose)
        if mention is not None and mention[0] >= approved:
            self.reviews.put(key, counterexample=mention[1], **with_evidence(row, mention[2]))
        self.state.assign(self.awaited, whose, (key, seen.at + self.reviews.team.limits.ms(AFTERWARDS)))

    def mentioned(self, who: Who, pull: int, words: str, seen: Seen) -> None:
        """The reviewer wrote about the pull."""
        self.state.assign(self.latest, (who, pull), (seen.at, words[:LONGEST], seen.ref))
        awaited = self.awaited.get((who, pull))
        if awaited is not None and seen.at <= awaited[1]:
            row = self.reviews.rows[awaited[0]]
            self.reviews.put(awaited[0], counterexample=words[:LONGEST], **with_evidence(row, seen.ref))
