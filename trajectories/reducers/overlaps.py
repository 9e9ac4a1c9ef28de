"""Overlaps: two live claims of different workers on one subject, what the two said to each other, and how it ended."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import items, stamp
from trajectories.reducers.people import Who
from trajectories.reducers.tables import Key, Row
from trajectories.reducers.topic import Seen, Topic

TALK, SILENCE = "talk", "silence"
#: How the side that closed first ended when nobody gave way.
ENDED: Final = frozenset(["failed", "abandoned", "expired", "landed", "recovered"])


class Overlaps(Topic):
    """One row a pair of claims, keyed `{older}.{newer}`: open, settled (one gave way) or ended (one closed anyhow)."""

    table = "overlaps"

    def prepare(self) -> None:
        self.between = self.state.index("overlaps.between")  # (worker, worker) -> {open overlap}
        self.open_of = self.state.index("overlaps.open_of")  # claim -> {open overlap}
        self.spoke = self.state.index("overlaps.spoke")  # open overlap -> {worker that has written to the other}

    def talked(self, claim: int) -> bool:
        """In an open overlap of this claim both sides have written to each other."""
        return any(len(self.spoke.get(key, ())) == 2 for key in self.open_of.get(claim, ()))

    def heard_overlap_began(self, claim: int, other: int, seen: Seen) -> None:
        """From now on direct messages between the two belong to it."""
        claims = self.team.claims
        older, newer = min(claim, other), max(claim, other)
        key = f"{older}.{newer}"
        files = [each for each in claims.about(older).files if each in claims.about(newer).files]
        subject = str(claims.rows[older]["subject"])
        path = files[0] if files else subject[2:] if subject.startswith("p:") else None
        worker, peer = claims.worker_of(older), claims.worker_of(newer)
        refs = [_first(claims.rows[each]["evidence"]) for each in (older, newer)]
        self.put(
            key,
            claim=older,
            other=newer,
            worker=worker,
            peer=peer,
            path=path,
            began_at=stamp(seen.said),
            **with_evidence(None, *refs),
        )
        self.state.member(self.between, _pair(worker, peer), key)
        self.state.member(self.open_of, claim, key)
        self.state.member(self.open_of, other, key)

    def on_message_posted(self, seen: Seen) -> None:
        """A direct message between two workers with an open overlap."""
        if seen.worker is None or seen.fields.get("kind") != "direct":
            return
        for each in items(seen.fields, "to"):
            peer = self.team.people.who(seen.source, each)
            if type(peer) is int and peer != seen.worker:
                for key in self.between.get(_pair(seen.worker, peer), ()):
                    row = self.rows[key]
                    said = row["messages"] if type(row["messages"]) is int else 0
                    self.put(key, messages=said + 1, **with_evidence(row, seen.ref))
                    self.state.member(self.spoke, key, seen.worker)

    def heard_overlap_settled(self, claim: int, other: int, status: str, said: int, ref: str) -> None:
        """One side gave way: it released its claim, or stood back when the other landed."""
        key = f"{min(claim, other)}.{max(claim, other)}"
        row = self.rows.get(key)
        if row is None or row["status"] != "open":
            return
        how = TALK if row["messages"] else SILENCE
        closed: Row = {
            "status": "settled",
            "settled_at": stamp(said),
            "settled_how": how,
            "outcome": status,
            "loser": claim,
        }
        self.put(key, **closed, **with_evidence(row, ref))
        self._forget(key)
        self.team.tell("overlap_over", key, claim, said, ref)

    def heard_claim_closed(self, claim: int, status: str, said: int, ref: str) -> None:
        """One side closed with nobody giving way; a renewal goes on in its own overlap."""
        for key in sorted(self.open_of.get(claim, ())):
            outcome = status if status in ENDED else "renewed"
            self.put(key, status="ended", outcome=outcome, loser=claim, **with_evidence(self.rows[key], ref))
            self._forget(key)

    def _forget(self, key: Key) -> None:
        row = self.rows[key]
        self.state.leave(self.between, _pair(row["worker"], row["peer"]), key)
        self.state.leave(self.open_of, row["claim"], key)
        self.state.leave(self.open_of, row["other"], key)
        self.state.remove(self.spoke, key)


def _pair(one: object, other: object) -> tuple[Who, Who]:
    first, second = (each if type(each) is int else 0 for each in (one, other))
    return (first, second) if first < second else (second, first)


def _first(refs: object) -> str:
    return str(refs[0]) if isinstance(refs, list) and refs else ""
