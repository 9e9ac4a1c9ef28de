"""Leading: a peer claims, or gives up, what a worker's direct message had just named to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectories.reducers.about import Subject, subject_of
from trajectories.reducers.fields import items, text
from trajectories.reducers.rules import rule
from trajectories.reducers.subjects import note_ids, unquoted
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.roles import Roles

FOLLOWED = rule(
    "lead_answer_s",
    600,
    "s",
    "A worker leads a peer that claims, or gives up, what its direct message had named to it at most this long before.",
)
_KEPT: Final = 8


class Leads:
    """Part of the roles reducer: what was lately said to whom."""

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        self.state = roles.state
        self.told = self.state.index("leads.told")  # peer -> ((at, worker, ref, notes, subject), ..)

    def message(self, seen: Seen) -> None:
        """A direct message, unless the two are settling who does what."""
        if seen.worker is None or seen.fields.get("kind") != "direct":
            return
        team = self.roles.team
        said = unquoted(text(seen.fields, "text"))
        about = tuple(subject_of(said, None, "", team.people.spoken))
        for each in items(seen.fields, "to"):
            peer = team.people.who(seen.source, each)
            if type(peer) is not int or peer == seen.worker:
                continue
            if not team.overlaps.between.get((min(peer, seen.worker), max(peer, seen.worker))):
                entry = (seen.at, seen.worker, seen.ref, note_ids(said), about)
                self.state.assign(self.told, peer, (*self.told.get(peer, ())[1 - _KEPT :], entry))

    def followed(self, peer: int, claim: int) -> tuple[int, str] | None:
        """Who led the peer to open or give up this claim, by which message; the newest."""
        team = self.roles.team
        oldest = self.state.now - team.limits.ms(FOLLOWED)
        theirs, holds = team.claims.about(claim), team.claims.live.subjects.holds
        for at, worker, ref, notes, about in reversed(self.told.get(peer, ())):
            if at < oldest:
                break  # the others are older still
            if claim in notes or holds(Subject._make(about), theirs):
                return worker, ref
        return None
