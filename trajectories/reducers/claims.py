"""Claims: who says it does what, where two want the same, and how each claim ended."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.about import Subject, subject_of
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import items, number, stamp, text
from trajectories.reducers.links import Links
from trajectories.reducers.live_claims import LiveClaims
from trajectories.reducers.moving import Moving
from trajectories.reducers.notes import CLAIM_LIFE
from trajectories.reducers.people import Who
from trajectories.reducers.releases import Releases
from trajectories.reducers.tables import Key
from trajectories.reducers.topic import Seen, Topic

#: A claim shows the first of these that has ever held.
PRECEDENCE: Final = ("landed", "recovered", "failed", "released", "superseded", "abandoned", "expired")
LOST: Final = frozenset(["failed", "abandoned", "expired"])
FINDINGS: Final = frozenset(["FACT", "PATCH_SUMMARY"])  # "dropping the blank is right" gives nothing up
SETTLING: Final = frozenset(["released", "superseded"])


class Claims(Topic):
    """One row a CLAIM note (its id is the key) that is not itself a release."""

    table = "claims"

    def prepare(self) -> None:
        state = self.state
        self.live = LiveClaims(self)
        self.live_of = self.live.of
        self.keys_of = self.live.keys_of
        self.open_pairs = self.live.open_pairs
        self.held = state.index("claims.held")  # claim -> ((status, said), ..)
        self.renewed_from = state.index("claims.renewed_from")  # claim -> the claim it renews
        self.renewed_by = state.index("claims.renewed_by")
        self.moving = Moving(self)
        self.links = Links(self)
        self.releases = Releases(self)

    # what others ask

    def is_live(self, claim: Key | None) -> bool:
        """Open and not lost."""
        row = self.rows.get(claim) if claim is not None else None
        return row is not None and row["status"] == "live"

    def worker_of(self, claim: Key) -> int | None:
        """Who claimed."""
        row = self.rows.get(claim)
        return row["worker"] if row is not None and type(row["worker"]) is int else None

    def live_on_subject(self, claim: int) -> list[int]:
        """Live claims of other workers on the subject of this one, oldest first."""
        return self.live.matching(claim, self.worker_of(claim))

    def about(self, claim: int) -> Subject:
        """What it is about."""
        return self.live.subjects.about(claim)

    def matches(self, claim: int, other: int) -> bool:
        """The same file or sub-task."""
        return self.live.subjects.same(self.about(claim), self.about(other))

    def lineage(self, claim: int) -> list[int]:
        """The claim and those it renewed."""
        found = [claim]
        while (claim := self.renewed_from.get(claim, 0)) and claim not in found:
            found.append(claim)
        return found

    # notes and messages

    def on_note_posted(self, seen: Seen) -> None:
        """A FAIL fails the same subject's claim; any other note may release some; a CLAIM that does not opens one."""
        worker, note = seen.worker, number(seen.fields, "note")
        if worker is None or note is None:
            return
        kind, said = text(seen.fields, "type"), text(seen.fields, "text")
        if kind == "FAIL":
            about = self.subject(said, seen, note)
            self.live.subjects.learn(about)
            failed = self.live.own(worker, about) or self.live.own_held(worker, about)
            if failed is not None and self.close(failed, "failed", seen.said, seen.ref, "failed"):
                self.team.tell("claim_failed", failed, note, seen)
            return
        released = self.releases.named(worker, said, seen, by_id=kind in FINDINGS, plain=kind != "OBSERVED")
        for claim in released:
            self.close(claim, "released", seen.said, seen.ref)
        if kind == "CLAIM" and note not in self.rows and not released:
            self._open(worker, note, said, seen)
        elif kind == "OBSERVED" and not released:
            self.moving.speaks(worker, note, said, seen)

    def on_message_posted(self, seen: Seen) -> None:
        """A message of a worker may release claims of its own."""
        if seen.worker is None:
            return
        to: list[int] = []
        if seen.fields.get("kind") == "direct":
            who = (self.team.people.who(seen.source, each) for each in items(seen.fields, "to"))
            to = [each for each in who if type(each) is int]
        for claim in self.releases.named(seen.worker, text(seen.fields, "text"), seen, to):
            self.close(claim, "released", seen.said, seen.ref)

    on_message_edited = on_message_posted

    def _open(self, worker: int, note: int, said: str, seen: Seen) -> None:
        about = self.subject(said, seen, note)
        self.live.subjects.learn(about)
        self.state.assign(self.live.subjects.of, note, tuple(about))
        old = self.live.own(worker, about)
        renews = old is not None and self.rows[old]["status"] in ("live", "expired")
        opened = stamp(seen.said)
        if old is not None and renews:
            self.state.assign(self.renewed_from, note, old)
            self.state.assign(self.renewed_by, old, note)
            self.close(old, "superseded", seen.said, seen.ref, renewal=True)
        others = self.moving.judged(self.live.matching(note, worker))
        self.put(
            note,
            worker=worker,
            subject=about.key,
            text=said,
            opened_at=opened,
            first_opened_at=self.rows[old]["first_opened_at"] if old is not None and renews else opened,
            previous=old,
            **({"overlaps": list(others)} if others else {}),
            **with_evidence(None, seen.ref),
        )
        for other in others:
            listed = self.rows[other]["overlaps"]
            self.put(other, overlaps=[*(listed if isinstance(listed, list) else []), note])
            self.state.member(self.open_pairs, other, note)
            self.state.member(self.open_pairs, note, other)
        self.live.add(note, worker, about)
        self.state.timer(self.table, note, seen.at + self.team.limits.ms(CLAIM_LIFE))
        if old is not None and renews:
            self.links.renewed(old, note)
        self.moving.turns(worker, note, about, seen)
        self.team.tell("claim_opened", note, old, renews, seen)
        for other in others:
            self.team.tell("overlap_began", note, other, seen)

    def subject(self, said: str, seen: Seen, note: int) -> Subject:
        """What a note is about."""
        return subject_of(said, seen.fields.get("delegation_id"), note, self.team.people.spoken)

    # how claims end

    def close(
        self, claim: int, status: str, said: int, ref: str, cause: str | None = None, renewal: bool = False
    ) -> bool:
        """Let a status hold; the row shows the first of PRECEDENCE that ever did, and since when, and until when it was held at all.
        `cause` = it is lost, and why.

        False if it held before."""
        if claim in self.open_pairs or claim in self.moving.turned:
            self.moving.closes(claim, lost=status in LOST)
        held = self.held.get(claim, ())
        for each, _ in held:
            if each == status:
                return False
        row = self.rows[claim]
        held = (*held, (status, said))
        self.state.assign(self.held, claim, held)
        shown, since = held[0] if len(held) == 1 else min(held, key=_rank)
        was_live = row["status"] == "live"
        fields = with_evidence(row, ref)
        if was_live:
            fields["held_until"] = stamp(said)
        self.put(claim, status=shown, closed_at=stamp(since), **fields)
        pairs = list(self.open_pairs.get(claim, ()))
        if was_live:
            self.live.remove(claim)
        if status in SETTLING and not renewal:
            self._settle(claim, status, said, ref, pairs)
        if was_live and cause and not self.team.limits.closing:
            self.team.tell("claim_lost", claim, cause, said, ref)
        self.team.tell("claim_closed", claim, status, said, ref)
        return True

    def land(self, claim: int, pull: int, method: str, said: int, ref: str) -> None:
        """Its own worker's pull was merged; a live claim that overlaps with it is superseded."""
        if any(status == "landed" for status, _ in self.held.get(claim, ())):
            return
        self.put(claim, pull=pull, linked_by=method)
        listed = self.rows[claim]["overlaps"]
        for rival in listed if isinstance(listed, list) else ():
            if self.is_live(rival):
                self.close(int(rival), "superseded", said, ref)
                self.links.outdated(int(rival), pull)
        self.close(claim, "landed", said, ref)
        self.team.tell("claim_landed", claim, pull, said, ref)

    def woken(self, key: Key) -> None:
        """A claim's life is over."""
        for claim in self.moving.judged([key] if type(key) is int and self.is_live(key) else []):
            self.close(claim, "expired", self.state.now, self.state.ref, "expired")

    def heard_worker_exited(self, worker: int, expected: bool, seen: Seen) -> None:
        """What a worker had open when its process ended is abandoned."""
        self._abandon(worker, seen, "abandoned" if expected else "crashed")

    def heard_worker_silent(self, worker: int, seen: Seen) -> None:
        """What a silent worker has open is abandoned."""
        self._abandon(worker, seen, "abandoned")

    def on_run_ended(self, seen: Seen) -> None:
        """What is open at the end is abandoned, and nobody is meant to take it over."""
        for claim in self.moving.judged(claim for live in self.live_of.values() for claim in live):
            self.close(claim, "abandoned", seen.said, seen.ref)

    def heard_recovery_landed(self, claim: int, by: int | None, said: int, ref: str) -> None:
        """A peer landed what this claim had lost."""
        if self.rows[claim]["status"] in LOST:
            self.put(claim, recovered_by=by)
            self.close(claim, "recovered", said, ref)

    # pulls

    def heard_pull_described(self, number: int, author: Who, title: str, body: str, head: str, seen: Seen) -> None:
        """A pull was opened or edited: find the claims it belongs to."""
        self.links.find(number, author, title, body, head, seen)

    def heard_pull_merged(self, number: int, merger: Who, author: Who, seen: Seen) -> None:
        """A merge lands, supersedes or recovers the claims of its pull."""
        self.links.merged(number, author, seen)

    # inside

    def _abandon(self, worker: int, seen: Seen, cause: str) -> None:
        for claim in self.moving.judged(self.live_of.get(worker, ())):
            self.close(claim, "abandoned", seen.said, seen.ref, cause)

    def _settle(self, claim: int, status: str, said: int, ref: str, pairs: list[int]) -> None:
        listed = self.rows[claim]["overlaps"]
        others = listed if isinstance(listed, list) else []
        for each in (claim, *others) if others else ():
            if self.rows[each]["settled_by"] is None:
                self.put(each, settled_by=ref, settled_at=stamp(said))
        for other in sorted(pairs):
            self.team.tell("overlap_settled", claim, other, status, said, ref)


def _rank(held: tuple[str, int]) -> int:
    return PRECEDENCE.index(held[0])
