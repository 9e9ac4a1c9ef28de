"""Notes: what the team wrote on the board, and what its rules hid, replaced or invalidated.

The same rules as the board's own (`board.rules`); here they are told by the log alone.
"""

from __future__ import annotations

from typing import Final

from trajectories.reducers.fields import number, stamp, text, words
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.subjects import folded
from trajectories.reducers.tables import Key, Row
from trajectories.reducers.topic import Seen, Topic

CLAIM_LIFE = rule(
    "claim_ttl_s",
    3_600,
    "s",
    "A CLAIM is hidden from live reads, and its claim expires, this long after it was posted.",
)
#: Notes of these types say how things are.
FOUND: Final = frozenset(["FACT", "OBSERVED"])


class Notes(Topic):
    """One row a note; the log is append-only, so rows are never dropped."""

    table = "notes"

    def prepare(self) -> None:
        self.told_at = self.state.index("notes.told_at")  # note that found something -> (at, ref)
        #: (worker, delegation) -> the latest PATCH_SUMMARY
        self.candidates = self.state.index("notes.candidates")

    def on_note_posted(self, seen: Seen) -> None:
        """Keep the note; a newer candidate replaces the older, a FAIL invalidates the latest."""
        note, kind = number(seen.fields, "note"), text(seen.fields, "type")
        if note is None or note in self.rows:
            return
        if kind in FOUND:
            self.state.assign(self.told_at, note, (seen.at, seen.ref))
        fields: Row = {
            "worker": seen.worker,
            "type": kind or None,
            "text": text(seen.fields, "text"),
            "detail": words(seen.fields, "detail"),
            "delegation_id": words(seen.fields, "delegation_id"),
            "at": stamp(seen.said),
        }
        self.state.start(self.table, note, fields)
        if kind == "CLAIM":
            self.state.timer(self.table, note, seen.at + self.team.limits.ms(CLAIM_LIFE))
        delegation = folded(seen.fields.get("delegation_id"))
        if delegation and kind in ("PATCH_SUMMARY", "FAIL"):
            self._candidate(note, kind, (seen.who, delegation))

    def _candidate(self, note: int, kind: str, whose: tuple[Who, str]) -> None:
        latest = self.candidates.get(whose)
        if kind == "PATCH_SUMMARY":
            if latest is not None:
                self.put(latest, replaced_by=note)
            self.state.assign(self.candidates, whose, note)
        elif latest is not None and self.rows[latest]["invalidated_by"] is None:
            self.put(latest, invalidated_by=note)

    def woken(self, key: Key) -> None:
        """A CLAIM's time in live reads is over."""
        self.put(key, hidden_at=stamp(self.state.now))
