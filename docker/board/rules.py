"""What the board admits and shows: a pure fold over its log. No clock, no storage, no network.

Time is given in milliseconds since the epoch. Expiry, replacement and invalidation are rules over the log, never entries in it:
- a CLAIM is hidden from live reads once `claim_ttl_ms` have passed since it was posted;
- a PATCH_SUMMARY is replaced by the next one of the same author and delegation_id;
- a FAIL invalidates the newest PATCH_SUMMARY of the same author and delegation_id.
The last two need a delegation_id, compared stripped and casefolded: two notes that name no sub-task say nothing about each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from board.admission import admit, subject

RECENT = 2_000
CLAIM_TTL_MS = 3_600_000


@dataclass(slots=True)
class Note:
    """An admitted note and what the rules have said about it so far."""

    note: int
    type: str
    worker: str
    text: str
    at: int
    detail: str | None = None
    delegation_id: str | None = None
    replaced_by: int | None = None
    invalidated_by: int | None = None
    words: str = ""  # what a search looks through first: text and delegation_id, casefolded

    def __post_init__(self) -> None:
        self.words = f"{self.text}\n{self.delegation_id or ''}".casefold()

    def hidden_at(self, claim_ttl_ms: int) -> int | None:
        """When a CLAIM leaves the live view; None for every other type."""
        return self.at + claim_ttl_ms if self.type == "CLAIM" else None

    def live(self, at: int, claim_ttl_ms: int) -> bool:
        """Whether a live read at `at` shows the note."""
        if self.replaced_by is not None or self.invalidated_by is not None:
            return False
        hidden_at = self.hidden_at(claim_ttl_ms)
        return hidden_at is None or at < hidden_at


@dataclass(slots=True)
class Board:
    """The fold of the log: notes by id, the newest candidate of each author and sub-task, and what each worker has seen."""

    claim_ttl_ms: int = CLAIM_TTL_MS
    notes: dict[int, Note] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    last: int = 0
    _candidates: dict[tuple[str, str], int] = field(default_factory=dict)
    _texts: dict[tuple[str, ...], int] = field(default_factory=dict)

    def refusal(self, worker: str, asked: Mapping[str, Any], at: int) -> str | None:
        """Why a note is not admitted at `at`, in words its author can act on; None if it is."""
        reason = admit(asked)
        if reason is not None:
            return reason
        twin = self.notes.get(self._texts.get(subject(worker, asked), 0))
        if twin is not None and twin.live(at, self.claim_ttl_ms):
            return f"same as note {twin.note} by {twin.worker}, which is still live"
        return None

    def apply(self, entry: Mapping[str, Any], at: int) -> None:
        """Take one log entry in, in the order of the log."""
        if entry["op"] == "note":
            self._post(entry, at)
        elif entry["op"] == "read":
            self.seen[entry["worker"]] = max(self.seen.get(entry["worker"], 0), entry["upto"])

    def _post(self, entry: Mapping[str, Any], at: int) -> None:
        note = Note(
            entry["note"],
            entry["type"],
            entry["worker"],
            entry["text"],
            at,
            entry.get("detail"),
            entry.get("delegation_id"),
        )
        self.notes[note.note] = note
        self.last = max(self.last, note.note)
        self._texts[subject(note.worker, entry)] = note.note
        key = candidate_key(note)
        if key is None:
            return
        older = self.notes.get(self._candidates.get(key, 0))
        if note.type == "PATCH_SUMMARY":
            if older is not None:
                older.replaced_by = note.note
            self._candidates[key] = note.note
        elif older is not None and older.invalidated_by is None:
            older.invalidated_by = note.note

    def recent(self, at: int, after: int = 0) -> list[Note]:
        """Live notes with an id above `after`, oldest first, the newest 2,000 of them at most."""
        found: list[Note] = []
        for note in reversed(self.notes.values()):
            if note.note <= after or len(found) == RECENT:
                break
            if note.live(at, self.claim_ttl_ms):
                found.append(note)
        return found[::-1]

    def reading(self, worker: str, upto: int) -> dict[str, int]:
        """What a read up to note `upto` means for a worker: the highest note it has now seen and how many were new."""
        before = self.seen.get(worker, 0)
        return {"upto": max(before, upto), "added": max(0, upto - before)}


def candidate_key(note: Note) -> tuple[str, str] | None:
    """Author and sub-task of a note that replaces or invalidates; None if it does neither."""
    sub_task = (note.delegation_id or "").strip().casefold()
    return (note.worker, sub_task) if sub_task and note.type in ("PATCH_SUMMARY", "FAIL") else None
