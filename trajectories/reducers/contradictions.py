"""Approvals that what came later speaks against: a FAIL that names the pull or its landed subject, or a fix of it that was merged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import number, stamp, text
from trajectories.reducers.matching import Subjects, subject_of
from trajectories.reducers.people import Who
from trajectories.reducers.subjects import pull_numbers, unquoted
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.reviews import Reviews

_FIX: Final = re.compile(
    r"\b(?:fix(?:es|ed|ing)?|revert(?:s|ed|ing)?|repair(?:s|ed|ing)?|correct(?:s|ed|ing)?|undo(?:es)?|mend(?:s|ed)?|"
    r"regression (?:of|from|in)|broken (?:by|in|since)|broke in|behebt|korrigiert|corrige|annule|исправляет|откатывает|修复|修正)\b"
    r"[^\n.;]{0,60}?(?:(?:(?<![\w&])#|!)(\d{1,15})|\b(?:pull|pr)\s+#?(\d{1,15}))",
    re.IGNORECASE,
)


class Contradictions:
    """Part of the reviews reducer."""

    def __init__(self, reviews: Reviews) -> None:
        self.reviews = reviews
        self.state = reviews.state
        self.landed = Subjects(self.state, "reviews.landed")  # landed claims by subject
        self.pull_of = self.state.index("reviews.landed_by")  # claim -> the pull that landed it
        self.fixes = self.state.index("reviews.fixes")  # pull -> (the pulls it says it mends, ..)

    def landed_by(self, claim: int, pull: int) -> None:
        """From now on a FAIL on its subject speaks against the approvals of that pull."""
        if claim not in self.pull_of:
            self.landed.add(claim, self.reviews.team.claims.about(claim))
        self.state.assign(self.pull_of, claim, pull)

    def failed(self, seen: Seen, own: bool) -> None:
        """A FAIL note. One that fails a claim of its own author is about that claim, unless it names a pull."""
        words = unquoted(text(seen.fields, "text"))
        pulls = self.reviews.team.pulls
        named = [each for each in pull_numbers(words) if each in pulls.rows]
        if not named and not own:
            names = self.reviews.team.people.spoken
            about = subject_of(words, seen.fields.get("delegation_id"), number(seen.fields, "note") or "", names)
            named = [self.pull_of[claim] for claim in self.landed.find(about)]
        for pull in dict.fromkeys(named):
            self._contradict(pull, seen.who, seen)

    def described(self, pull: int, title: str, body: str) -> None:
        """What a pull says it mends."""
        said = f"{title}\n{unquoted(body[:4_000])}"
        found = tuple(dict.fromkeys(int(one or other) for one, other in _FIX.findall(said)))
        if found or pull in self.fixes:
            self.state.assign(self.fixes, pull, found)

    def merged(self, pull: int, seen: Seen) -> None:
        """A fix is in: what approved the thing it mends is contradicted."""
        for mended in self.fixes.get(pull, ()):
            if mended != pull and self.reviews.team.pulls.is_merged(mended):
                self._contradict(mended, None, seen)

    def _contradict(self, pull: int, who: Who, seen: Seen) -> None:
        """Approvals that still stand; before the merge a reviewer's own FAIL is on its way to a withdrawal."""
        merged = self.reviews.team.pulls.is_merged(pull)
        for reviewer in self.reviews.requested.get(pull, ()):
            for key in self.reviews.of_pair(pull, reviewer):
                row = self.reviews.rows[key]
                stands = row["verdict"] == "approved" and row["status"] in ("standing", "stale")
                if stands and row["contradicted_by"] is None and (merged or reviewer != who):
                    told = {"contradicted_by": seen.ref, "contradicted_at": stamp(seen.said)}
                    self.reviews.put(key, **told, **with_evidence(row, seen.ref))
                    self.reviews.team.tell("review_contradicted", key, pull, seen)
