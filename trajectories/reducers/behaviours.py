"""Behaviours: what teams without a lead were seen to do of themselves, how often, and the events that show it."""

from __future__ import annotations

from typing import Final, NamedTuple

from trajectories.reducers.agreements import Agreements
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp, text
from trajectories.reducers.people import Who
from trajectories.reducers.protocol import Protocol
from trajectories.reducers.topic import Seen, Topic

INTERFACE_AGREED: Final = "interface_agreed"
OVERLAP_SETTLED: Final = "overlap_settled"
SHARED_REVIEW: Final = "shared_review"
APPROVAL_WITHDRAWN: Final = "approval_withdrawn"
REVIEWER_TRUSTED: Final = "reviewer_trusted"
PROTOCOL_STANDARDISED: Final = "protocol_standardised"
INTEGRATOR: Final = "integrator"
RECOVERY: Final = "recovery"
HAND_OVER: Final = "hand_over"


class Behaviour(NamedTuple):
    """`paper_workers` = the team size at which the Agensh paper reports it (arXiv 2609.26781)."""

    title: str
    meaning: str
    paper_workers: int


#: name -> what is counted; the page "How this is decided" shows it.
BEHAVIOURS: Final = {
    INTERFACE_AGREED: Behaviour(
        "Interface agreements",
        "A worker named a piece of code to a peer, and the peer said it back: in direct messages, a thread or a note that names the note.",
        8,
    ),
    OVERLAP_SETTLED: Behaviour(
        "Overlaps settled",
        "Two workers wanted the same; after a direct message between them one released its claim, moved on to another, or stood back when the other landed.",
        8,
    ),
    SHARED_REVIEW: Behaviour("Shared review", "A pull was reviewed by two peers of its author or more.", 32),
    APPROVAL_WITHDRAWN: Behaviour(
        "Approvals withdrawn", "A reviewer took its approval of another's pull back before the merge.", 32
    ),
    REVIEWER_TRUSTED: Behaviour(
        "Trusted reviewers reused",
        "An author asked a reviewer again and again after a first review of it that stood.",
        128,
    ),
    PROTOCOL_STANDARDISED: Behaviour(
        "Integration protocol standardised",
        "The bodies of the latest pulls came to share one form that nobody had set.",
        128,
    ),
    INTEGRATOR: Behaviour("Integrators", "A worker became an integrator: it merges the pulls of others.", 1_024),
    RECOVERY: Behaviour(
        "Failed work recovered", "A peer took over what another worker had lost, and landed it.", 1_024
    ),
    HAND_OVER: Behaviour(
        "Hand-overs",
        "An author asked several peers, took the first useful answer, called others off, and another landed its pull.",
        1_024,
    ),
}


class Behaviours(Topic):
    """One row a behaviour, made when it is first seen."""

    table = "behaviours"

    def prepare(self) -> None:
        self.reviewers = self.state.index("behaviours.reviewers")  # pull -> {reviewer: reference of its first review}
        self.agreements = Agreements(self)
        self.protocol = Protocol(self)

    def on_message_posted(self, seen: Seen) -> None:
        """It may agree on an interface."""
        self.agreements.message(seen)

    def on_note_posted(self, seen: Seen) -> None:
        """So may a note."""
        self.agreements.note(seen)

    def interface_agreed(self, ref: str, seen: Seen) -> None:
        """Said, and said back."""
        self._count(INTERFACE_AGREED, seen.said, ref, seen.ref)

    def heard_overlap_over(self, overlap: str, loser: int, said: int, ref: str) -> None:
        """Settled by talking only if the two talked (overlaps hear messages first: the release itself may be one)."""
        row = self.team.overlaps.rows[overlap]
        listed = row["evidence"]
        if row["messages"] and isinstance(listed, list):
            self._count(OVERLAP_SETTLED, said, *(str(each) for each in listed[2:]))

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """The second peer that reviews a pull shares the work with the first."""
        before = self.reviewers.get(pull, {})
        if reviewer == author or reviewer is None or reviewer in before:
            return
        told = {**before, reviewer: seen.ref}
        self.state.assign(self.reviewers, pull, told)
        if len(told) == 2:
            self._count(SHARED_REVIEW, seen.said, *told.values())

    def heard_review_withdrawn(self, key: str, pull: int, seen: Seen) -> None:
        """An approval of another's pull."""
        row = self.team.reviews.rows[key]
        if row["verdict"] == "approved" and row["reviewer"] != row["author"]:
            given = row["evidence"]
            first = str(given[0]) if isinstance(given, list) and given else ""
            self._count(APPROVAL_WITHDRAWN, seen.said, first, seen.ref)

    def heard_reviewer_trusted(self, pair: str, seen: Seen) -> None:
        """Asked again often enough."""
        listed = self.team.trust.rows[pair]["evidence"]
        self._count(REVIEWER_TRUSTED, seen.said, *(str(each) for each in listed if isinstance(listed, list)))  # type: ignore[union-attr]

    def heard_pull_opened(self, pull: int, author: Who, seen: Seen) -> None:
        """Its body has a form."""
        self.protocol.opened(author, text(seen.fields, "body"), seen)

    def protocol_standardised(self, refs: list[str], seen: Seen) -> None:
        """The latest pulls share a form."""
        self._count(PROTOCOL_STANDARDISED, seen.said, *refs)

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

    def heard_handed_over(self, pull: int, seen: Seen) -> None:
        """From asking to landing."""
        listed = self.team.handovers.rows[pull]["evidence"]
        self._count(HAND_OVER, seen.said, *(str(each) for each in listed if isinstance(listed, list)))  # type: ignore[union-attr]

    def _count(self, name: str, said: int, *refs: str) -> None:
        row = self.rows.get(name)
        count = row["count"] if row is not None and type(row["count"]) is int else 0
        first = row["first_seen_at"] if row is not None else stamp(said)
        self.put(name, first_seen_at=first, count=count + 1, **with_evidence(row, *refs))
