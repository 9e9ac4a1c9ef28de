"""Behaviours: what teams without a lead were seen to do of themselves, how often, and the events that show it."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import items, stamp
from trajectories.reducers.people import Who
from trajectories.reducers.topic import Seen, Topic

OVERLAP_SETTLED: Final = "overlap_settled"
APPROVAL_WITHDRAWN: Final = "approval_withdrawn"
INTEGRATOR: Final = "integrator"
RECOVERY: Final = "recovery"

#: name -> what is counted; the page "How this is decided" shows it.
BEHAVIOURS: Final = {
    OVERLAP_SETTLED: "Two workers wanted the same; after a direct message between them one released its claim, or stood back when the other landed.",
    APPROVAL_WITHDRAWN: "A reviewer took its approval of another's pull back before the merge.",
    INTEGRATOR: "A worker became an integrator: it merges the pulls of others.",
    RECOVERY: "A peer took over what another worker had lost, and landed it.",
}
_MESSAGES: Final = 20  # kept of one overlap's direct messages


class Behaviours(Topic):
    """One row a behaviour, made when it is first seen."""

    table = "behaviours"

    def prepare(self) -> None:
        self.talks = self.state.index("behaviours.talks")  # (claim, claim) -> direct messages while both were live
        self.pairs = self.state.index("behaviours.pairs")  # (worker, worker) -> {(claim, claim)}

    # overlaps

    def heard_overlap_began(self, claim: int, other: int, seen: Seen) -> None:
        """From now on direct messages between the two belong to it."""
        self.state.assign(self.talks, _pair(claim, other), ())
        self.state.member(self.pairs, self._workers(claim, other), _pair(claim, other))

    def on_message_posted(self, seen: Seen) -> None:
        """A direct message between two workers with an open overlap."""
        if seen.worker is None or seen.fields.get("kind") != "direct":
            return
        for each in items(seen.fields, "to"):
            peer = self.team.people.who(seen.source, each)
            if type(peer) is int and peer != seen.worker:
                for overlap in self.pairs.get(_pair(seen.worker, peer), ()):
                    told = self.talks.get(overlap, ())
                    if len(told) < _MESSAGES:
                        self.state.assign(self.talks, overlap, (*told, seen.ref))

    def heard_overlap_settled(self, claim: int, other: int, ref: str) -> None:
        """Settled by talking only if the two talked (this topic hears messages first: the release itself may be one)."""
        told = self.talks.get(_pair(claim, other), ())
        if told:
            self._count(OVERLAP_SETTLED, self.state.now, *told, ref)

    def heard_claim_closed(self, claim: int, status: str, said: int, ref: str) -> None:
        """An overlap ends with either claim."""
        listed = self.team.claims.rows[claim]["overlaps"]
        for other in listed if isinstance(listed, list) else ():
            if type(other) is int and _pair(claim, other) in self.talks:
                self.state.remove(self.talks, _pair(claim, other))
                self.state.leave(self.pairs, self._workers(claim, other), _pair(claim, other))

    # the others

    def heard_review_withdrawn(self, key: str, pull: int, seen: Seen) -> None:
        """An approval of another's pull."""
        row = self.team.reviews.rows[key]
        if row["verdict"] == "approved" and row["reviewer"] != row["author"]:
            given = row["evidence"]
            first = str(given[0]) if isinstance(given, list) and given else ""
            self._count(APPROVAL_WITHDRAWN, seen.said, first, seen.ref)

    def heard_role_began(self, worker: int, role: str, said: int, refs: list[str]) -> None:
        """An integrator's span began."""
        if role == "integrator":
            self._count(INTEGRATOR, said, *refs)

    def heard_recovery_landed(self, claim: int, by: int | None, said: int, ref: str) -> None:
        """A lost claim was landed by a peer."""
        if (row := self.team.recoveries.rows.get(claim)) is not None:
            listed = row["evidence"]
            refs = [str(each) for each in listed] if isinstance(listed, list) else []
            self._count(RECOVERY, said, *refs)

    # inside

    def _count(self, name: str, said: int, *refs: str) -> None:
        row = self.rows.get(name)
        count = row["count"] if row is not None and type(row["count"]) is int else 0
        first = row["first_seen_at"] if row is not None else stamp(said)
        self.put(name, first_seen_at=first, count=count + 1, **with_evidence(row, *refs))

    def _workers(self, claim: int, other: int) -> tuple[Who, Who]:
        claims = self.team.claims
        return _pair(claims.worker_of(claim) or 0, claims.worker_of(other) or 0)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
