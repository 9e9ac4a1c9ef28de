"""Giving a claim up in words: which claims of its author a note or message releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from trajectories.reducers.about import Subject, subject_of
from trajectories.reducers.phrases import CJK, THINGS
from trajectories.reducers.subjects import clause_starts, has_digit, lowered, note_ids, sentences
from trajectories.reducers.topic import Seen
from trajectories.reducers.yielding import DENIES, ENDS, GIVES_UP, GIVES_UP_FAR, GRANTING, GRANTS, MIGHT, SAYING

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims


class Release(NamedTuple):
    """Where a text gives something up: what names it, and whether the words alone are enough (else only with what they name)."""

    rest: str
    plain: bool
    grants: bool = False


def release_of(text: str) -> Release | None:
    """The first sentence whose author gives something up, else None. Quotes, questions and ifs say nothing."""
    for sentence in sentences(text):
        low = lowered(sentence)
        gives_up = GIVES_UP if low.isascii() else GIVES_UP_FAR
        grants = GRANTING.search(low) is not None
        for start in clause_starts(low):
            if (found := gives_up.match(low, start)) and not THINGS.match(low, found.end()) and not _denies(low):
                around = CJK.search(found.group()) or found.group().endswith(("to you", "yours"))
                return Release(sentence if around else sentence[found.end() :], plain=True)
            if ENDS.match(low, start) and not MIGHT.search(low):
                return Release(sentence, plain=False)
            if grants and GRANTS.match(low, start) and not _denies(low):
                return Release(sentence, plain=False, grants=True)
    return None


def _denies(sentence: str) -> bool:
    return MIGHT.search(sentence) is not None or DENIES.search(sentence) is not None


class Releases:
    """Part of the claims reducer."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims

    def named(
        self, worker: int, said: str, seen: Seen, to: Sequence[int] = (), *, by_id: bool = False, plain: bool = False
    ) -> list[int]:
        """The author's claims that the text gives up: named by id or by subject; else, in a direct message, those that
        overlap with a claim of the addressee. A text that names only claims of others asks for theirs, or leaves them the
        field if it grants: then those that overlap with them.

        `by_id`: only what is named by id; `plain`: only if the author lets go in so many words.
        """
        mine = self.claims.live_of.get(worker, ())
        if (by_id or not mine) and not has_digit(said):
            return []  # it names none, and there is none to be meant
        found = release_of(said)
        if found is None or (plain and not found.plain):
            return []
        rows, pairs = self.claims.rows, self.claims.open_pairs
        live = sorted(mine)
        if told := [note for note in dict.fromkeys(note_ids(found.rest)) if note in rows]:
            own = [note for note in told if rows[note]["worker"] == worker]
            return own or [each for each in live if found.grants and not pairs.get(each, {}).keys().isdisjoint(told)]
        if by_id:
            return []
        about = subject_of(found.rest, seen.fields.get("delegation_id"), "", self.claims.team.people.spoken)
        spoken = [(self.claims.live.subjects.holds(about, self.claims.about(claim)), claim) for claim in live]
        most = max(spoken, default=(0, 0))[0]
        if most:
            return [claim for held, claim in spoken if held == most]
        if not found.plain and not self._says_no_more(about):
            return []
        return [claim for claim in live if any(rows[other]["worker"] in to for other in pairs.get(claim, ()))]

    def _says_no_more(self, about: Subject) -> bool:
        return all(word in SAYING for word in self.claims.live.subjects.telling(about.words))
