"""What the board and the pulls say, as the script sees it. Built anew from tool results; nothing is remembered elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

RELEASE = re.compile(r"\s*(release|released|releasing|dropping|yielding|unclaim)\b", re.IGNORECASE)
NOTE_ID = re.compile(r"(?:\bn|#|\bnote )(\d+)\b")


def seconds(at: Any) -> float:
    """An ISO time as seconds, 0.0 if it is none."""
    try:
        return datetime.fromisoformat(str(at).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class Claim:
    note: int
    worker: str
    subtask: str
    at: float


@dataclass(frozen=True, slots=True)
class Review:
    reviewer: str
    verdict: str
    text: str
    at: float
    fresh: bool


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull with what its newest commit's reviews say."""

    number: int
    author: str
    head: str
    subtask: str
    state: str
    merged_by: str
    mergeable: bool | None
    opened_at: float
    requested: tuple[str, ...]
    reviews: tuple[Review, ...]

    @property
    def open(self) -> bool:
        return self.state == "open"

    @property
    def merged(self) -> bool:
        return self.state == "merged"

    def latest(self) -> dict[str, Review]:
        """Each reviewer's last word."""
        return {r.reviewer: r for r in self.reviews if r.verdict != "commented"}

    def approvals(self) -> list[Review]:
        return [r for r in self.latest().values() if r.fresh and r.verdict == "approved"]

    def objections(self) -> list[Review]:
        return [r for r in self.latest().values() if r.fresh and r.verdict == "changes_requested"]

    def needed(self, peers: int) -> int:
        """Approvals asked for: two; one once the pull was reviewed before its newest commit; none if nobody else is there."""
        stale = any(not r.fresh for r in self.reviews)
        return min(1 if stale else 2, peers)

    def ready(self, peers: int) -> bool:
        return self.open and not self.objections() and len(self.approvals()) >= self.needed(peers)

    def ready_since(self) -> float:
        return max((r.at for r in self.approvals()), default=self.opened_at)

    def moved_at(self) -> float:
        """When anything was last said about it."""
        return max([self.opened_at, *[r.at for r in self.reviews]])


@dataclass(slots=True)
class Picture:
    """The team's state at one moment: live claims and failures by sub-task, all pulls, the names seen, the clock."""

    me: str
    now: float = 0.0
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)

    def see_notes(self, data: dict[str, Any], whole: bool) -> None:
        """A read of the board. What a whole read no longer shows has run out."""
        if whole and "notes" in data:
            self.notes = {}
        for note in data.get("notes") or []:
            self.notes[int(note["note"])] = note
            self.now = max(self.now, seconds(note.get("at")))

    def see_pulls(self, data: dict[str, Any], subtasks: set[str]) -> None:
        for row in data.get("pulls") or []:
            pull = read_pull(row, subtasks)
            self.pulls[pull.number] = pull
            self.now = max(self.now, pull.moved_at())

    def see_time(self, at: str) -> None:
        self.now = max(self.now, seconds(at))

    def peers(self) -> list[str]:
        """Everybody heard of but me: authors of notes, pulls and reviews."""
        found = {str(note.get("worker")) for note in self.notes.values()}
        for pull in self.pulls.values():
            found |= {pull.author, *pull.requested, *(r.reviewer for r in pull.reviews)}
        return sorted(found - {self.me, "", "None"})

    def claims(self, subtask: str) -> list[Claim]:
        """Claims on a sub-task that stand: not released, given up or renewed; the board hides those that ran out."""
        standing: dict[str, Claim] = {}
        for number, note in sorted(self.notes.items()):
            worker, text, kind = str(note.get("worker")), str(note.get("text")), note.get("type")
            same = str(note.get("delegation_id") or "").casefold() == subtask
            if RELEASE.match(text):
                named = {int(n) for n in NOTE_ID.findall(text)}
                standing = {w: c for w, c in standing.items() if w != worker or c.note not in named}
            elif same and kind == "FAIL":
                standing.pop(worker, None)
            elif same and kind == "CLAIM":
                standing[worker] = Claim(number, worker, subtask, seconds(note.get("at")))
        return list(standing.values())

    def failures(self, subtask: str) -> list[str]:
        """Who gave the sub-task up, in order."""
        return [
            str(note.get("worker"))
            for _, note in sorted(self.notes.items())
            if note.get("type") == "FAIL" and str(note.get("delegation_id") or "").casefold() == subtask
        ]

    def pulls_of(self, subtask: str) -> list[Pull]:
        return [pull for pull in self.pulls.values() if pull.subtask == subtask]

    def landed(self, subtask: str) -> bool:
        return any(pull.merged for pull in self.pulls_of(subtask))

    def has_landed(self, worker: str) -> bool:
        """Whether a pull of this worker is in main."""
        return any(pull.merged and pull.author == worker for pull in self.pulls.values())

    def heard_at(self, worker: str) -> float:
        """When this worker last wrote a note, opened a pull or reviewed one."""
        said = [seconds(note.get("at")) for note in self.notes.values() if note.get("worker") == worker]
        said += [pull.opened_at for pull in self.pulls.values() if pull.author == worker]
        said += [r.at for pull in self.pulls.values() for r in pull.reviews if r.reviewer == worker]
        return max(said, default=0.0)

    def open_pulls(self) -> list[Pull]:
        return [pull for _, pull in sorted(self.pulls.items()) if pull.open]

    def merged_for_others(self, worker: str) -> int:
        return sum(pull.merged and pull.merged_by == worker != pull.author for pull in self.pulls.values())


def read_pull(row: dict[str, Any], subtasks: set[str]) -> Pull:
    """A pull of the tools' answer; its sub-task is named before the colon of its title, or last in its branch."""
    head, title = str(row.get("head") or ""), str(row.get("title") or "")
    named = title.split(":")[0].strip()
    subtask = named if named in subtasks else head.rsplit("-", 1)[-1]
    reviews = tuple(
        Review(
            str(r.get("reviewer")),
            str(r.get("verdict")),
            str(r.get("text") or ""),
            seconds(r.get("at")),
            not (r.get("dismissed") or r.get("stale")),
        )
        for r in row.get("reviews") or []
    )
    return Pull(
        int(row["number"]),
        str(row.get("author")),
        head,
        subtask if subtask in subtasks else "",
        "merged" if row.get("merged") else str(row.get("state")),
        str(row.get("merged_by") or ""),
        row.get("mergeable"),
        seconds(row.get("opened_at")),
        tuple(str(name) for name in row.get("requested") or []),
        reviews,
    )
