"""Recoveries: a claim was lost; who took its subject over, and did they land it."""

from __future__ import annotations

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.matching import Subjects
from trajectories.reducers.people import Who
from trajectories.reducers.topic import Seen, Topic


class Recoveries(Topic):
    """One row a lost claim (its id is the key): open, taken over, landed. Dropped when its own worker picks it up again."""

    table = "recoveries"

    def prepare(self) -> None:
        state = self.state
        self.untaken = Subjects(state, "recoveries.untaken")
        self.taken_by = state.index("recoveries.taken_by")  # taking claim -> {lost claim}
        self.picked_up = state.index(
            "recoveries.picked_up"
        )  # claim -> what its own worker had lost: (claim, cause, lost_at, refs)

    # losses and takers

    def heard_claim_lost(self, claim: int, cause: str, said: int, ref: str) -> None:
        """A peer's claim on the subject that is live now takes over (the oldest), else the first opened later."""
        claims = self.team.claims
        self.put(
            claim,
            from_claim=claim,
            from_worker=claims.worker_of(claim),
            cause=cause,
            lost_at=stamp(said),
            **with_evidence(None, *_list(claims.rows[claim]["evidence"])[:1], ref),
        )
        self._offer(claim, cause, said, ref)

    def heard_claim_opened(self, claim: int, old: int | None, renews: bool, seen: Seen) -> None:
        """A new claim takes over what peers lost on its subject; a worker's own lost claim is simply picked up again."""
        claims = self.team.claims
        if old is not None and old in self.rows and self.rows[old]["status"] == "open":
            row = self.rows[old]
            self.state.assign(self.picked_up, claim, (old, row["cause"], row["lost_at"], tuple(_list(row["evidence"]))))
            self._forget(old)
        elif renews and old in self.picked_up:
            self.state.assign(self.picked_up, claim, self.picked_up[old])
        for each in self.untaken.find(claims.about(claim)):
            if claims.worker_of(each) != claims.worker_of(claim):
                self._take(each, claim, claims.worker_of(claim), seen.said, seen.ref)

    def heard_lost_claim_pulled(self, claim: int, pull: int, author: Who, seen: Seen) -> None:
        """A peer's pull names the lost claim: that takes it over too."""
        if claim in self.rows and self.rows[claim]["status"] == "open":
            self._take(claim, self._claim_of(author, claim), author, seen.said, seen.ref)

    def heard_claim_closed(self, claim: int, status: str, said: int, ref: str) -> None:
        """A taker that gives its claim up hands the recovery on: to a peer's live claim, else it is open again."""
        if status not in ("released", "superseded") or claim in self.team.claims.renewed_by:
            return
        for lost in sorted(self.taken_by.get(claim, ())):
            row = self.rows[lost]
            if row["status"] == "taken_over":
                self.state.leave(self.taken_by, claim, lost)
                open_again = {"to_claim": None, "to_worker": None, "taken_over_at": None, "status": "open"}
                self.put(lost, **open_again, **with_evidence(row, ref))
                self._offer(lost, str(row["cause"]), said, ref)
        self._let_go_after_all(claim, said, ref)

    # landings

    def heard_claim_landed(self, claim: int, pull: int, said: int, ref: str) -> None:
        """The end of a chain of take-overs lands all of it; its own worker's landing needs no recovery."""
        for each in self.team.claims.lineage(claim):
            if each in self.rows and self.rows[each]["status"] != "landed":
                self._forget(each)
            for lost in sorted(self.taken_by.get(each, ())):
                self._land(lost, each, said, ref)

    def heard_lost_claim_merged(self, claim: int, pull: int, author: Who, seen: Seen) -> None:
        """A peer's pull that names the lost claim was merged."""
        row = self.rows.get(claim)
        if row is None:
            self.team.tell("recovery_landed", claim, self._claim_of(author, claim), seen.said, seen.ref)
            return
        if row["status"] == "open":
            self._take(claim, self._claim_of(author, claim), author, seen.said, seen.ref)
        to = self.rows[claim]["to_claim"]
        self._land(claim, to if type(to) is int else None, seen.said, seen.ref)

    # inside

    def _let_go_after_all(self, claim: int, said: int, ref: str) -> None:
        """Its own worker had picked up what it had lost, and leaves it to others now: lost as before."""
        lost, cause, since, refs = self.picked_up.get(claim, (None, "", None, ()))
        if lost is not None and lost not in self.rows:
            self.state.remove(self.picked_up, claim)
            worker = self.team.claims.worker_of(lost)
            told = {"from_claim": lost, "from_worker": worker, "cause": cause, "lost_at": since}
            self.put(lost, **told, **with_evidence(None, *refs, ref))
            self._offer(lost, cause, said, ref)

    def _offer(self, lost: int, cause: str, said: int, ref: str) -> None:
        claims = self.team.claims
        self.untaken.add(lost, claims.about(lost))
        self.team.tell("recovery_opened", lost, cause, said, ref)
        peers = claims.live_on_subject(lost)
        if peers:
            self._take(lost, peers[0], claims.worker_of(peers[0]), said, ref)

    def _claim_of(self, author: Who, lost: int) -> int | None:
        claims = self.team.claims
        live = sorted(claims.live_of.get(author, ()))
        return next((each for each in live if claims.matches(each, lost)), live[0] if len(live) == 1 else None)

    def _take(self, lost: int, claim: int | None, worker: Who, said: int, ref: str) -> None:
        self.untaken.remove(lost)
        evidence = with_evidence(self.rows[lost], ref)
        if claim is not None:
            self.state.member(self.taken_by, claim, lost)
        self.put(lost, to_claim=claim, to_worker=worker, taken_over_at=stamp(said), status="taken_over", **evidence)
        self.team.tell("recovery_taken", lost, claim, worker, said, ref)

    def _land(self, lost: int, by: int | None, said: int, ref: str) -> None:
        row = self.rows.get(lost)
        if row is None or row["status"] == "landed":
            return
        self.put(lost, status="landed", landed_at=stamp(said), **with_evidence(row, ref))
        self.team.tell("recovery_landed", lost, by, said, ref)
        for each in self.team.claims.lineage(lost):
            for earlier in sorted(self.taken_by.get(each, ())):
                self._land(earlier, each, said, ref)

    def _forget(self, lost: int) -> None:
        self.untaken.remove(lost)
        to = self.rows[lost]["to_claim"]
        if to is not None:
            self.state.leave(self.taken_by, to, lost)
        self.drop(lost)
        self.team.tell("recovery_dropped", lost)


def _list(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []
