"""The live claims by worker and subject: what a new claim, a loss or a failure is compared with, without a look at all of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from trajectories.reducers.about import Subject
from trajectories.reducers.matching import Subjects
from trajectories.reducers.subjects import holds_word

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims

_WORD: Final = re.compile(r"[^\W_]+")


class LiveClaims:
    """Part of the claims reducer."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        state = self.state = claims.state
        self.of = state.index("claims.live_of")  # worker -> {claim}
        self.subjects = Subjects(state, "claims.live")
        self.open_pairs = state.index("claims.open_pairs")  # claim -> {overlapping live claim}
        self.keys_of = state.index("claims.keys_of")  # worker -> {subject: its newest claim, live or not}
        self.ids_of = state.index("claims.ids_of")  # (worker, first word of a delegation id) -> {last word: {subject}}

    def matching(self, claim: int, worker: int | None) -> list[int]:
        """Live claims of other workers on the subject of this one, oldest first."""
        rows = self.claims.rows
        found = self.subjects.find(self.subjects.about(claim))
        return [each for each in found if each != claim and rows[each]["worker"] != worker]

    def own(self, worker: int, about: Subject) -> int | None:
        """The worker's newest claim with that key, else its newest live one on the same sub-task."""
        claim = self.keys_of.get(worker, {}).get(about.key)
        if claim is not None:
            return int(claim)
        subjects = self.subjects
        live = (each for each in self.of.get(worker, ()) if subjects.equal(about, subjects.about(each)))
        return max(live, default=None)

    def own_held(self, worker: int, about: Subject) -> int | None:
        """The worker's live claim whose every word the text holds, or whose file it names; the one with most words."""
        live = sorted(self.of.get(worker, ()))
        held = [(self.subjects.holds(about, self.subjects.about(each)), each) for each in live]
        most = max(held, default=(0, 0))
        return most[1] if most[0] and sum(count == most[0] for count, _ in held) == 1 else None

    def named(self, worker: int, text: str) -> str | None:
        """The subject of the worker whose delegation id stands in a casefolded text as a whole word; the longest of several."""
        words = {*_WORD.findall(text), ""}
        groups = [group for word in words if (group := self.ids_of.get((worker, word)))]
        found = (key for group in groups for last in group.keys() & words for key in group[last])
        named = [key for key in found if holds_word(text, key[2:])]
        return max(named, key=lambda key: (len(key), key), default=None)

    def add(self, claim: int, worker: int, about: Subject) -> None:
        """It is live, and its worker's newest on the subject."""
        state = self.state
        state.member(self.of, worker, claim)
        self.subjects.add(claim, about)
        if worker not in self.keys_of:
            state.assign(self.keys_of, worker, {})
        state.assign(self.keys_of[worker], about.key, claim)
        if about.delegation:
            first, last = _ends(about.delegation)
            if (worker, first) not in self.ids_of:
                state.assign(self.ids_of, (worker, first), {})
            state.member(self.ids_of[worker, first], last, about.key)
        self.claims.team.tell("current_claim", worker, max(self.of[worker]))

    def remove(self, claim: int) -> None:
        """It is live no longer; its overlaps are no longer open."""
        state, worker = self.state, self.claims.rows[claim]["worker"]
        state.leave(self.of, worker, claim)
        self.subjects.remove(claim)
        for other in list(self.open_pairs.get(claim, ())):
            state.leave(self.open_pairs, other, claim)
        state.remove(self.open_pairs, claim)
        state.cancel(self.claims.table, claim)
        self.claims.team.tell("current_claim", worker, max(self.of.get(worker, ()), default=None))


@lru_cache(maxsize=4096)
def _ends(delegation: str) -> tuple[str, str]:
    """Its first and its last word."""
    found = _WORD.findall(delegation) or [""]
    return found[0], found[-1]
