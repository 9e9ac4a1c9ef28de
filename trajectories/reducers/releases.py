"""Giving a claim up in words: which claims of its author a note or message releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trajectories.reducers.matching import holds, subject_of
from trajectories.reducers.subjects import note_ids, release_rest
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims


class Releases:
    """Part of the claims reducer."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims

    def named(self, worker: int, said: str, seen: Seen, to: Sequence[int] = (), *, by_id: bool = False) -> list[int]:
        """The author's claims that the text gives up: named by id or by subject; else, in a direct message, those that
        overlap with a claim of the addressee. A text that names only claims of others asks for theirs: none.

        `by_id`: only what is named by id.
        """
        rest = release_rest(said)
        if rest is None:
            return []
        rows = self.claims.rows
        told = [note for note in dict.fromkeys(note_ids(rest)) if note in rows]
        if told:
            return [note for note in told if rows[note]["worker"] == worker]
        if by_id:
            return []
        live = sorted(self.claims.live_of.get(worker, ()))
        about = subject_of(rest, seen.fields.get("delegation_id"), "", self.claims.team.people.spoken)
        spoken = [(holds(about, self.claims.about(claim)), claim) for claim in live]
        most = max(spoken, default=(0, 0))[0]
        if most:
            return [claim for held, claim in spoken if held == most]
        pairs = self.claims.open_pairs
        return [claim for claim in live if any(rows[other]["worker"] in to for other in pairs.get(claim, ()))]
