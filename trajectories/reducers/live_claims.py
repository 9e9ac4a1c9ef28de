"""The live claims by worker, subject and path: what a new claim or a loss is compared with, without a look at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims


class LiveClaims:
    """Part of the claims reducer."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        state = self.state = claims.state
        self.of = state.index("claims.live_of")  # worker -> {claim}
        self.by_key = state.index("claims.live_by_key")  # subject -> {claim}
        self.by_path = state.index("claims.live_by_path")  # path -> {claim}
        self.open_pairs = state.index("claims.open_pairs")  # claim -> {overlapping live claim}
        self.keys_of = state.index("claims.keys_of")  # worker -> {subject: its newest claim, live or not}
        self.paths_of = state.index("claims.paths_of")  # claim -> (path, ..), live or not

    def matching(self, claim: int, key: str, worker: int | None) -> list[int]:
        """Live claims of other workers on the subject, oldest first."""
        near = dict.fromkeys(self.by_key.get(key, ()))
        for path in self.paths_of.get(claim, ()):
            near.update(dict.fromkeys(self.by_path.get(path, ())))
        rows = self.claims.rows
        return sorted(each for each in near if each != claim and rows[each]["worker"] != worker)

    def add(self, claim: int, worker: int, key: str) -> None:
        """It is live, and its worker's newest on the subject."""
        state = self.state
        state.member(self.of, worker, claim)
        state.member(self.by_key, key, claim)
        for path in self.paths_of.get(claim, ()):
            state.member(self.by_path, path, claim)
        if worker not in self.keys_of:
            state.assign(self.keys_of, worker, {})
        state.assign(self.keys_of[worker], key, claim)
        self.claims.team.tell("current_claim", worker, max(self.of[worker]))

    def remove(self, claim: int) -> None:
        """It is live no longer; its overlaps are no longer open."""
        state, row = self.state, self.claims.rows[claim]
        worker = row["worker"]
        state.leave(self.of, worker, claim)
        state.leave(self.by_key, row["subject"], claim)
        for path in self.paths_of.get(claim, ()):
            state.leave(self.by_path, path, claim)
        for other in list(self.open_pairs.get(claim, ())):
            state.leave(self.open_pairs, other, claim)
        state.remove(self.open_pairs, claim)
        state.cancel(self.claims.table, claim)
        self.claims.team.tell("current_claim", worker, max(self.of.get(worker, ()), default=None))
