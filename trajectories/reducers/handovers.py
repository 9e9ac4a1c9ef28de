"""Hand-overs: an author asks several peers about its pull, takes the first useful answer, calls the others off, and another lands it."""

from __future__ import annotations

from typing import Any

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import items, number, stamp, text
from trajectories.reducers.people import Who
from trajectories.reducers.subjects import pull_numbers, unquoted
from trajectories.reducers.topic import Seen, Topic


class Handovers(Topic):
    """One row a pull about which its author asked two peers or more: asked, answered, cancelled, then landed, kept or closed."""

    table = "handovers"

    def prepare(self) -> None:
        self.asked = self.state.index("handovers.asked")  # pull -> {peer: reference of the first ask}

    def heard_review_asked(self, pull: int, reviewer: Who, seen: Seen) -> None:
        """The author asks on the forge."""
        self._ask(pull, reviewer, seen)

    def on_message_posted(self, seen: Seen) -> None:
        """A direct message that names the pull: an ask, a calling off, or an asked peer's answer."""
        if seen.worker is None or seen.fields.get("kind") != "direct":
            return
        peers = [self.team.people.who(seen.source, each) for each in items(seen.fields, "to")]
        for pull in pull_numbers(unquoted(text(seen.fields, "text"))):
            author = self.team.pulls.author_of(pull)
            if author == seen.who:
                for peer in peers:
                    if not self._call_off(pull, peer, seen):
                        self._ask(pull, peer, seen)
            elif author in peers:
                self._answer(pull, seen.who, seen)

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """A verdict is an answer; a remark is none."""
        if self.team.reviews.rows[key]["verdict"] != "commented":
            self._answer(pull, reviewer, seen)

    def on_review_request_removed(self, seen: Seen) -> None:
        """The author calls a peer off on the forge."""
        pull = number(seen.fields, "number")
        peer = self.team.people.who(seen.source, seen.fields.get("reviewer"), seen.fields.get("reviewer_id"))
        if pull is not None and seen.who == self.team.pulls.author_of(pull):
            self._call_off(pull, peer, seen)

    def heard_pull_merged(self, pull: int, merger: Who, author: Who, seen: Seen) -> None:
        """Landed by another, or kept by its author after all."""
        row = self.rows.get(pull)
        if row is None or row["landed_at"] is not None:
            return
        if merger != author:
            self._answer(pull, merger, seen)
        done: dict[str, Any] = {"landed_by": merger, "landed_at": stamp(seen.said)}
        status = "kept" if merger == author else "landed"
        self.put(pull, status=status, **done, **with_evidence(self.rows[pull], seen.ref))
        if status == "landed" and self.rows[pull]["cancelled"]:
            self.team.tell("handed_over", pull, seen)

    def heard_pull_settled(self, pull: int, seen: Seen) -> None:
        """Closed without a merge."""
        row = self.rows.get(pull)
        if row is not None and row["landed_at"] is None:
            self.put(pull, status="closed", **with_evidence(row, seen.ref))

    # inside

    def _ask(self, pull: int, peer: Who, seen: Seen) -> None:
        author = self.team.pulls.author_of(pull)
        open_pull = self.team.pulls.is_open(pull)
        asked = self.asked.get(pull, {})
        if not open_pull or seen.who != author or type(peer) is not int or peer == author or peer in asked:
            return
        asked = {**asked, peer: seen.ref}
        self.state.assign(self.asked, pull, asked)
        row = self.rows.get(pull)
        if row is not None:
            self.put(pull, asked=list(asked), **with_evidence(row, seen.ref))
        elif len(asked) == 2:
            self.put(pull, author=author, asked=list(asked), **with_evidence(None, *asked.values()))

    def _answer(self, pull: int, who: Who, seen: Seen) -> None:
        row = self.rows.get(pull)
        if row is not None and row["answered_by"] is None and who in self.asked[pull]:
            told = {"answered_by": who, "answered_at": stamp(seen.said), "status": "answered"}
            self.put(pull, **told, **with_evidence(row, seen.ref))

    def _call_off(self, pull: int, peer: Who, seen: Seen) -> bool:
        row = self.rows.get(pull)
        if row is None or row["answered_by"] in (None, peer) or peer not in self.asked[pull]:
            return False
        gone = row["cancelled"] if isinstance(row["cancelled"], list) else []
        if peer not in gone and row["landed_at"] is None:
            self.put(pull, cancelled=[*gone, peer], status="cancelled", **with_evidence(row, seen.ref))
        return True
