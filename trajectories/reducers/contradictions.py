"""Approvals that what came later speaks against: a FAIL that names the pull or its landed subject, or a fix of it that was merged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.about import subject_of
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import number, stamp, text
from trajectories.reducers.matching import Subjects
from trajectories.reducers.people import Who
from trajectories.reducers.subjects import has_digit, pull_numbers, sentences, unquoted
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.reviews import Reviews

#: A text mends what it names after such a word, or what it names before one of the second kind. Stems, in the languages of `phrases.py`.
_MENDS: Final = re.compile(
    r"\b(?!(?:pre|suf|af|in|post)fix)\w*fix(?:e[sd]|ing|up)?\b|\b(?:revert|repair|mend|amend|undo|undid|correct(?:s|ed|ing|ion)|restor|rectif|"
    r"remed|unbreak|(?:roll|back|take|took)\w*[ -]?(?:back|out)\b|put(?:s|ting)? .{0,20}right\b|(?:make|made|making)\w* up for\b|behebt|behoben|"
    r"korrigier|repar|nimmt .{0,30}zurück|macht .{0,30}rückgängig|corrig|annul|répar|rétabl|arregl|deshac|revier|ripar|rettif|naprawi|cofa\b|"
    r"herstel|düzelt|исправ|откат|чинит|почин|возвращ)|修复|修正|回滚|撤销|直し|修復|고칩|수정",
    re.IGNORECASE,
)
_BROKEN: Final = re.compile(
    r"\b(?:bro(?:ke|ken)|breakage|regress|bugs?\b|buggy|faults?\b|faulty|flaw|defect|mistake|wrong|incomplete|crash|fail(?:s|ed|ure|ing)?\b|"
    r"damag|corrupt|lost\b|loses\b|kaputt|fehler|falsch|défaut|cassé|faux|roto|rompió|falla|ошиб|сломал)|错误|坏|バグ|버그",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"(?:(?<![\w&])#|!|(?<!\w)(?:pull|pr)\s+#?)(\d{1,15})(?!\w)", re.IGNORECASE)
_DENIES: Final = re.compile(
    r"\b(?:not|n['’]t|never|no|without|unrelated|independent\w*|nicht|kein\w*|ohne|pas|sans|sin|не|без)\b",
    re.IGNORECASE,
)
_MOST: Final = 4_000


def mended(title: str, body: str) -> tuple[int, ...]:
    """The pulls that a description says it mends: named in one sentence with a word of mending before, or one of breaking on either side."""
    found: dict[int, bool] = {}
    said = [each for each in (title, body[:_MOST]) if has_digit(each) and _NAMED.search(each)]
    for sentence in (sentence for each in said for sentence in sentences(each)):
        parts = _NAMED.split(sentence)
        for place in range(1, len(parts), 2):
            before, after = parts[place - 1], parts[place + 1]
            told = _MENDS.search(before) or _BROKEN.search(before) or _BROKEN.search(after)
            if told and not _DENIES.search(before):
                found[int(parts[place])] = True
    return tuple(found)


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
        found = mended(title, body)
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
