"""Moving on: a side of an overlap that turns to another thing gave way, in whatever words; said once nothing can speak against it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trajectories.reducers.about import Subject
from trajectories.reducers.subjects import note_ids
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims


class Moving:
    """Part of the claims reducer. Who turns to another thing may come back: so it is judged only when its claim, or that of the other
    side, would close as lost, or a third claims the same; a pull or a FAIL of its own until then shows that it never left."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        state = self.state = claims.state
        self.spoken_of = state.index("claims.spoken_of")  # claim that overlaps, of which its worker wrote on the board
        self.turned = state.index(
            "claims.turned"
        )  # such a claim, or one talked about -> (said, ref) of the claim after it

    def speaks(self, worker: int, note: int, said: str, seen: Seen) -> None:
        """A side of an overlap writes of its own claim, in words that no rule reads."""
        claims = self.claims
        contested = [claim for claim in claims.live_of.get(worker, ()) if claim in claims.open_pairs]
        if not contested:
            return
        named: set[int | None] = set(note_ids(said))
        if named.isdisjoint(contested):
            named = {claims.live.own_held(worker, claims.subject(said, seen, note))}
        for claim in contested:
            if claim in named:
                self.state.assign(self.spoken_of, claim, True)

    def turns(self, worker: int, note: int, about: Subject, seen: Seen) -> None:
        """It claims another thing, with nothing to show for what it holds beside others."""
        claims = self.claims
        live = claims.live_of[worker]
        for claim in sorted(live) if len(live) > 1 else ():
            held = claim != note and claim in claims.open_pairs and not claims.links.pulls_of.get(claim)
            said = held and (claim in self.spoken_of or claims.team.overlaps.talked(claim))
            if said and claim not in self.turned and not claims.live.subjects.same(about, claims.about(claim)):
                self.state.assign(self.turned, claim, (seen.said, seen.ref))

    def came_back(self, claim: int) -> None:
        """It works on it after all, or is left alone with it."""
        self.state.remove(self.turned, claim)

    def closes(self, claim: int, lost: bool) -> None:
        """A claim that overlaps is about to close: who turned away from the same gave way if this one is lost, and stays if not."""
        self.came_back(claim)
        for rival in sorted(self.claims.open_pairs.get(claim, ())) if self.turned else ():
            if lost:
                self._judge(rival)
            else:
                self.came_back(rival)

    def judged(self, live: Iterable[int]) -> list[int]:
        """Those of these live claims, in order, that are so still: the others were given up when their worker turned to another thing."""
        claims = sorted(live)
        if not self.turned:
            return claims
        for claim in claims:
            self._judge(claim)
        return [claim for claim in claims if self.claims.is_live(claim)]

    def _judge(self, claim: int) -> None:
        told = self.turned.get(claim)
        if told is not None and self.claims.is_live(claim):
            self.claims.close(claim, "released", *told)
