"""The simulator's own book-keeping of claims: who holds what, who gave way to whom, whose lost work was carried on and landed.

This is the ground truth's definition of overlaps, settlements and recoveries. It is kept from what the workers do.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runs.simulate.world import World


@dataclass(eq=False)
class Claim:
    """A claim as its worker holds it. `subject` is the number of the sub-task, `took` the lost claims it carries on."""

    note: int
    worker: int
    subject: int
    at: int
    live: bool = True
    landed: bool = False
    recovered: bool = False
    has_pull: bool = False
    knew: int = 0  # the newest note its worker had seen when it claimed
    taker: Claim | None = None
    took: list[Claim] = field(default_factory=list)


class Claims:
    """All claims of the run by sub-task and worker."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.of_subject: dict[int, list[Claim]] = {}
        self.of_worker: dict[int, list[Claim]] = {}
        self.pairs: dict[Claim, dict[Claim, dict[str, Any]]] = {}
        self.fails: dict[int, int] = {}  # sub-task -> note of its latest FAIL

    def holds(self, claim: Claim) -> bool:
        """Open, and its life is not over."""
        return claim.live and self.world.now < claim.at + self.world.ttl

    def rivals(self, subject: int, worker: int) -> list[Claim]:
        """Claims of others on the sub-task that hold, oldest first."""
        return [each for each in self.of_subject.get(subject, ()) if each.worker != worker and self.holds(each)]

    def open(self, note: int, worker: int, subject: int, knew: int, took: Claim | None = None) -> Claim:
        """A worker holds a sub-task from now on; whoever holds it already overlaps with it."""
        world = self.world
        claim = Claim(note, worker, subject, world.now, knew=knew)
        for other in self.rivals(subject, worker):
            fact = world.truth.plant("overlap", world.at, claims=[other.note, note], talk=0, settled=False)
            self.pairs.setdefault(claim, {})[other] = fact
            self.pairs.setdefault(other, {})[claim] = fact
            world.count("overlap")
        self.of_subject.setdefault(subject, []).append(claim)
        mine = self.of_worker.setdefault(worker, [])
        mine[:] = [each for each in mine if self.holds(each)]
        mine.append(claim)
        world.spawn(world.now + world.ttl, self.expires(claim))
        if took is not None and not took.landed and took.taker is None:
            self._carry(took, claim)
        return claim

    def expires(self, claim: Claim) -> Generator[int, None, None]:
        """Its life is over: if it is still open it is lost, like any other."""
        if claim.live:
            self.lose(claim, "expired")
        yield self.world.end

    def talk(self, one: int, other: int) -> None:
        """A direct message between two workers belongs to whatever overlap they have open."""
        for claim in self.of_worker.get(one, ()):
            for rival, fact in self.pairs.get(claim, {}).items():
                if rival.worker == other and claim.live and rival.live:
                    fact["talk"] += 1

    def release(self, claim: Claim) -> None:
        """Its worker gives it up; what it carried on is free again."""
        self._give_way(claim)
        self._put_down(claim)

    def land(self, claim: Claim) -> None:
        """Its pull was merged: who still holds the sub-task stands back, and the lost work it carries on is recovered."""
        for rival in list(self.pairs.get(claim, ())):
            if self.holds(rival):
                self._give_way(rival)
                self._put_down(rival)
        self._close(claim)
        claim.landed = True
        if claim.taker is not None and not claim.recovered and claim in claim.taker.took:
            claim.taker.took.remove(claim)
        self._recover(claim, claim)

    def lose(self, claim: Claim, cause: str) -> None:
        """Failed, crashed, abandoned or expired: who holds the sub-task too carries it on, else somebody may."""
        if not claim.live:
            return
        self._close(claim)
        self.world.count(f"lost_{cause}")
        self._offer(claim)

    def failed(self, claim: Claim, note: int) -> None:
        """A FAIL; if the sub-task had failed before, its worker knew of that or not when it claimed."""
        earlier = self.fails.get(claim.subject)
        if earlier is not None:
            facts = {"worker": claim.worker, "claim": claim.note, "knowing": claim.knew >= earlier}
            self.world.truth.plant("repeated_fail", self.world.at, **facts)
            self.world.count("repeated_fail")
        self.fails[claim.subject] = note
        self.lose(claim, "failed")

    # inside

    def _offer(self, claim: Claim) -> None:
        rivals = self.rivals(claim.subject, claim.worker)
        if rivals:
            self._carry(claim, rivals[0])
        elif not claim.has_pull and claim not in self.world.lost:
            self.world.lost.append(claim)

    def _carry(self, lost: Claim, taker: Claim) -> None:
        lost.taker = taker
        taker.took.append(lost)
        self.world.count("taken_over")

    def _put_down(self, claim: Claim) -> None:
        carried, claim.took = claim.took, []
        for lost in carried:
            lost.taker = None
            self._offer(lost)

    def _recover(self, claim: Claim, by: Claim) -> None:
        for lost in claim.took:
            if not lost.landed and not lost.recovered:
                lost.recovered = True
                facts = {"lost": lost.note, "worker": claim.worker}
                self.world.truth.plant("recovery", self.world.at, **facts)
                self.world.count("recovered")
                self._recover(lost, by)

    def _give_way(self, claim: Claim) -> None:
        for other, fact in self.pairs.get(claim, {}).items():
            if self.holds(claim) and self.holds(other):
                fact |= {"settled": True, "loser": claim.note, "how": "talk" if fact["talk"] else "silence"}
                self.world.count("settled")
        self._close(claim)

    def _close(self, claim: Claim) -> None:
        claim.live = False
        for other in self.pairs.pop(claim, {}):
            self.pairs.get(other, {}).pop(claim, None)
