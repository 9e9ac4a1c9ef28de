"""Workers: who is there, in which life and state. Sums (steps, tokens, last seen) come from `tallies`."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.fields import count, flag, number, stamp, text, words
from trajectories.reducers.people import Who
from trajectories.reducers.topic import Seen, Topic

_TERMINATED: Final = 15
GONE: Final = frozenset(["dead", "ended"])

#: A worker's phase is what its newest of these events says.
PHASES: Final = {
    "commits.pushed": "act",
    "branch.created": "act",
    "pull.opened": "verify",
    "pull.pushed": "verify",
    "review.requested": "verify",
    "review.submitted": "verify",
    "pull.merged": "merge",
}
NOTE_PHASES: Final = {"CLAIM": "claim", "OBSERVED": "act", "FACT": "act", "FAIL": "verify", "PATCH_SUMMARY": "verify"}


class Workers(Topic):
    """One row a worker, made by its enrolment (or by its start, should the roster row be missing)."""

    table = "workers"

    def prepare(self) -> None:
        #: worker -> the status it has apart from being silent
        self.under = self.state.index("workers.under")

    # read by others

    def is_older_life(self, who: Who, life: int) -> bool:
        """True if a newer life of this worker has joined: what the older still says changes nothing."""
        row = self.rows.get(who) if type(who) is int else None
        current = row["life"] if row is not None else 0
        return type(current) is int and 0 < life < current

    def is_gone(self, worker: int) -> bool:
        """Dead or ended."""
        row = self.rows.get(worker)
        return row is not None and row["status"] in GONE

    # the roster and lives

    def on_worker_enrolled(self, seen: Seen) -> None:
        """A roster row: the worker is waiting until its process starts."""
        worker = seen.worker
        if worker is None:
            return
        before = self.rows.get(worker)
        self.team.people.enrol(worker, seen.fields)
        self._ensure(worker)
        node = words(seen.fields, "node")
        old = before["node"] if before is not None else None
        self.put(worker, name=words(seen.fields, "name") or f"w{worker:04d}", node=node)
        if node != old:
            self.team.tell("worker_placed", node, old, seen)

    def on_worker_joined(self, seen: Seen) -> None:
        """A process started under this life; an older one's report changes nothing."""
        worker = seen.worker
        if worker is None:
            return
        self._ensure(worker)
        row = self.rows[worker]
        before = row["life"] if type(row["life"]) is int else 0
        life = count(seen.fields, "life") or before + 1
        if life < before:
            return
        self.team.tallies.joined(worker, life, seen.at)
        self.state.assign(self.under, worker, "waiting")
        joined = row["joined_at"] or stamp(seen.said)
        self.put(worker, life=life, status="waiting", joined_at=joined, ended_at=None, end_reason=None)
        self.team.tell("worker_returned", worker, seen)

    def on_worker_exited(self, seen: Seen) -> None:
        """The process of the current life ended: as planned, or the worker is dead."""
        worker = seen.worker
        row = self.rows.get(worker) if worker is not None else None
        if worker is None or row is None or self.is_older_life(worker, count(seen.fields, "life")):
            return
        expected = flag(seen.fields, "expected")
        status = "ended" if expected else "dead"
        if row["status"] == "ended" and self.team.limits.over:
            status = "ended"  # the run was over: its processes are being stopped
        self.state.assign(self.under, worker, status)
        self.put(worker, status=status, ended_at=stamp(seen.said), end_reason=_reason(seen, expected))
        self.team.tell("worker_exited", worker, expected, seen)

    def on_run_ended(self, seen: Seen) -> None:
        """Whoever is not dead has ended."""
        for worker in sorted(self.rows, key=_as_number):
            if self.rows[worker]["status"] not in GONE:
                self.state.assign(self.under, worker, "ended")
                self.put(worker, status="ended", ended_at=stamp(seen.said), end_reason="run ended")

    # what it is doing

    def on_worker_silent(self, seen: Seen) -> None:
        """The monitor hears nothing: stalled until heard."""
        worker = seen.worker
        if worker in self.rows and worker is not None and not self.is_gone(worker):
            self.put(worker, status="stalled")
            self.team.tell("worker_silent", worker, seen)

    def on_worker_heard(self, seen: Seen) -> None:
        """It speaks again: back to what it was doing."""
        worker = seen.worker
        if worker in self.rows and worker is not None and self.rows[worker]["status"] == "stalled":
            self.put(worker, status=self.under.get(worker, "waiting"))
            self.team.tell("worker_heard", worker, seen)

    def on_turn_started(self, seen: Seen) -> None:
        """Working; a worker without a live claim gathers context first."""
        worker = seen.worker
        if self._is_now(worker, "working") and worker is not None and self.rows[worker]["current_claim"] is None:
            self.put(worker, phase="gather")

    def on_turn_finished(self, seen: Seen) -> None:
        """Idle until the next prompt."""
        self._is_now(seen.worker, "idle")

    def on_nudge_sent(self, seen: Seen) -> None:
        """It was idle for too long and has been prompted."""
        self._is_now(seen.worker, "nudged")

    # its phase

    def on_note_posted(self, seen: Seen) -> None:
        """A note tells where in the loop its author is."""
        self._phase(seen.worker, NOTE_PHASES.get(text(seen.fields, "type")))

    def _on_deed(self, seen: Seen) -> None:
        self._phase(seen.worker, PHASES[seen.kind])

    def on_commits_pushed(self, seen: Seen) -> None:
        """A push that is told once more is no deed."""
        if not self.team.branches.repeats(seen):
            self._on_deed(seen)

    on_branch_created = on_pull_opened = on_pull_pushed = _on_deed
    on_review_requested = on_review_submitted = on_pull_merged = _on_deed

    # told by other topics

    def heard_current_claim(self, worker: int, claim: int | None) -> None:
        """The newest live claim of a worker is another one, or none."""
        if worker in self.rows:
            self.put(worker, current_claim=claim)

    def heard_pull_merged(self, number: int, merger: Who, author: Who, seen: Seen) -> None:
        """A merge counts for who merged it: of its own or of another's pull."""
        row = self.rows.get(merger) if type(merger) is int else None
        if row is not None and type(merger) is int:
            column = "merges_own" if merger == author else "merges_others"
            self.put(merger, **{column: _plus_one(row[column])})

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """A review of another's pull counts."""
        row = self.rows.get(reviewer) if type(reviewer) is int else None
        if row is not None and type(reviewer) is int and reviewer != author:
            self.put(reviewer, reviews_given=_plus_one(row["reviews_given"]))

    # inside

    def _ensure(self, worker: int) -> None:
        if worker not in self.rows:
            self.put(worker, name=f"w{worker:04d}")
            self.team.tallies.enrolled(worker)

    def _is_now(self, worker: int | None, status: str) -> bool:
        row = self.rows.get(worker) if worker is not None else None
        if worker is None or row is None or row["status"] in GONE:
            return False
        self.state.assign(self.under, worker, status)
        if row["status"] != "stalled":
            self.put(worker, status=status)
        return True

    def _phase(self, worker: int | None, phase: str | None) -> None:
        if worker is not None and phase is not None and worker in self.rows:
            self.put(worker, phase=phase)


def _as_number(key: int | str) -> int:
    return key if isinstance(key, int) else 0


def _plus_one(value: object) -> int:
    return value + 1 if type(value) is int else 1


def _reason(seen: Seen, expected: bool) -> str:
    if flag(seen.fields, "oom"):
        return "out of memory"
    signal = number(seen.fields, "signal")
    if expected and signal == _TERMINATED:
        return "as planned"
    if signal:
        return f"signal {signal}"
    code = number(seen.fields, "code")
    if expected and not code:
        return "as planned"
    return "unknown" if code is None else f"exit code {code}"
