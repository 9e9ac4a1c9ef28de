"""Giving a claim up in words: which claims a note or message that starts with a release word releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trajectories.reducers.subjects import folded, holds_word, note_ids, paths, release_rest, text_words
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims


class Releases:
    """Part of the claims reducer."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims

    def say(self, worker: int, said: str, seen: Seen, to: Sequence[int] = ()) -> None:
        """Release the author's claims the text names by id or subject; else, in a direct message, those that overlap
        with a claim of the addressee."""
        rest = release_rest(said) or ""
        rows = self.claims.rows
        named = [note for note in dict.fromkeys(note_ids(rest)) if note in rows and rows[note]["worker"] == worker]
        live = sorted(self.claims.live_of.get(worker, ()))
        if not named:
            delegation = folded(seen.fields.get("delegation_id"))
            named = [claim for claim in live if self._holds(rest, delegation, str(rows[claim]["subject"]))]
        if not named:
            pairs = self.claims.open_pairs
            named = [claim for claim in live if any(rows[other]["worker"] in to for other in pairs.get(claim, ()))]
        for claim in named:
            self.claims.close(claim, "released", seen.said, seen.ref)

    def _holds(self, rest: str, delegation: str, key: str) -> bool:
        kind, subject = key[:2], key[2:]
        if kind == "d:":
            return delegation == subject or holds_word(rest.casefold(), subject)
        if kind == "p:":
            return subject in paths(rest)
        return text_words(rest, self.claims.team.people.spoken) == subject
