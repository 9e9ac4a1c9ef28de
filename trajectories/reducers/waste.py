"""Waste: failures repeated, the same work claimed twice, pulls that never landed, conflicts to be mended."""

from __future__ import annotations

from typing import Final

from trajectories.events import millis
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.matching import Subjects
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.tables import Value
from trajectories.reducers.topic import Seen, Topic

REPEATED_FAIL, DUPLICATE_CLAIM, NEVER_LANDED, CONFLICT = "repeated_fail", "duplicate_claim", "never_landed", "conflict"
DUPLICATE = rule(
    "duplicate_claim_s",
    60,
    "s",
    "A claim that gave way in an overlap is work done twice if it had been live for at least this long.",
)

#: kind -> what is counted; the page "How this is decided" shows it.
WASTE: Final = {
    REPEATED_FAIL: "A worker's claim failed on a subject on which another claim had failed before this one was opened or while it was live. "
    "Knowing if the earlier FAIL had been shown to the worker before it opened its claim, else unknowing.",
    DUPLICATE_CLAIM: "A claim gave way to another on the same subject after some work.",
    NEVER_LANDED: "A pull was closed unmerged, or was still open when the run ended.",
    CONFLICT: "A pull came to conflict with its base.",
}


class Waste(Topic):
    """One row a waste, numbered in canonical order. `minutes` run from `began_at` to `at`."""

    table = "waste"

    def prepare(self) -> None:
        self.counted = self.state.index("waste.counted")  # claims whose doubled work has its row
        self.numbers = self.state.index("waste.numbers")
        self.failed = Subjects(self.state, "waste.failed")  # claims that failed, by subject
        self.fail_note = self.state.index("waste.fail_note")  # claim -> (note, ref) of the FAIL that failed it
        self.of_pull = self.state.index("waste.of_pull")  # pull -> ordinal of its row never_landed
        self.watched = self.state.index("waste.watched")
        self.open = self.state.index("waste.open_pulls")

    # failures

    def heard_claim_failed(self, claim: int, note: int, seen: Seen) -> None:
        """A FAIL; was it the first of its subject?"""
        claims = self.team.claims
        row, about = claims.rows[claim], claims.about(claim)
        worker, opened = claims.worker_of(claim), str(row["opened_at"])
        earlier = [each for each in self.failed.find(about) if each != claim]
        if earlier:
            before, ref = self.fail_note[max(earlier, key=lambda each: self.fail_note[each][0])]
            shown = self.team.tallies.shown.first(self.team.people.names_of(worker), before, seen.at)
            ordinal = self._add(
                REPEATED_FAIL, worker, opened, seen.said, [ref, seen.ref], claim=claim, note=before, shown_at=shown
            )
            self.state.assign(self.watched, worker, {**self.watched.get(worker, {}), ordinal: (before, seen.at)})
        if claim not in self.fail_note:
            self.failed.add(claim, about)
        self.state.assign(self.fail_note, claim, (note, seen.ref))

    # claims

    def heard_overlap_over(self, overlap: str, loser: int, said: int, ref: str) -> None:
        """The side that gave way had worked for a while: counted once however many it overlapped with."""
        claims = self.team.claims
        row, opened = claims.rows[loser], str(claims.rows[loser]["opened_at"])
        if loser in self.counted or said - millis(opened) < self.team.limits.ms(DUPLICATE):
            return
        self.state.assign(self.counted, loser, True)
        listed = row["evidence"]
        refs = [str(listed[0])] if isinstance(listed, list) and listed else []
        path = self.team.overlaps.rows[overlap]["path"]
        self._add(DUPLICATE_CLAIM, claims.worker_of(loser), opened, said, [*refs, ref], claim=loser, path=path)

    # pulls

    def heard_pull_opened(self, pull: int, author: Who, seen: Seen) -> None:
        """It may land."""
        self.state.assign(self.open, pull, True)

    def heard_pull_settled(self, pull: int, seen: Seen) -> None:
        """Closed unmerged: never landed, unless it is opened again."""
        self.state.remove(self.open, pull)
        if self.team.pulls.rows[pull]["status"] == "closed":
            self._never(pull, seen.said, seen.ref)
        else:
            self._landed_after_all(pull)

    def heard_pull_reopened(self, pull: int, seen: Seen) -> None:
        """It may land again."""
        self.state.assign(self.open, pull, True)
        self._landed_after_all(pull)

    def heard_pull_clashed(self, pull: int, said: int, ref: str) -> None:
        """Somebody has to mend it."""
        row = self.team.pulls.rows[pull]
        bases = row["conflict_bases"]
        refs = [str(each) for each in bases[-3:]] if isinstance(bases, list) else []
        path = self.team.pulls.conflicts.path(pull) or self._path_of(row["claim"])
        self._add(CONFLICT, _whole(row["author"]), None, said, [*refs, ref], pull=pull, claim=row["claim"], path=path)

    def on_run_ended(self, seen: Seen) -> None:
        """What is open now never landed."""
        for pull in sorted(self.open):
            self._never(pull, seen.said, seen.ref)

    # inside

    def _never(self, pull: int, said: int, ref: str) -> None:
        row = self.team.pulls.rows[pull]
        claim = row["claim"]
        claimed = self.team.claims.rows.get(claim) if type(claim) is int else None
        began = row["opened_at"] if claimed is None else claimed["first_opened_at"]
        listed = row["evidence"]
        refs = [str(listed[0])] if isinstance(listed, list) and listed else []
        ordinal = self._add(
            NEVER_LANDED,
            _whole(row["author"]),
            None if began is None else str(began),
            said,
            [*refs, ref],
            pull=pull,
            claim=claim,
            path=self._path_of(claim),
        )
        self.state.assign(self.of_pull, pull, ordinal)

    def _landed_after_all(self, pull: int) -> None:
        ordinal = self.of_pull.get(pull)
        if ordinal is not None:
            self.state.remove(self.of_pull, pull)
            self.drop(ordinal)

    def _path_of(self, claim: Value) -> str | None:
        files = self.team.claims.about(claim).files if type(claim) is int and claim in self.team.claims.rows else ()
        return files[0] if files else None

    def _add(self, kind: str, worker: int | None, began: str | None, said: int, refs: list[str], **about: Value) -> int:
        ordinal = int(self.numbers.get("last", 0)) + 1
        self.state.assign(self.numbers, "last", ordinal)
        minutes = None if began is None else max(0, said - millis(began)) // 60_000
        about |= {"kind": kind, "worker": worker, "at": stamp(said), "began_at": began, "minutes": minutes}
        self.state.start(self.table, ordinal, about | with_evidence(None, *refs))
        return ordinal


def _whole(value: object) -> int | None:
    return value if type(value) is int else None
