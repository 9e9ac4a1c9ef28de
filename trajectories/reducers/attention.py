"""Attention: what a person looking at the run should see first; each row one cause, since when, one action."""

from __future__ import annotations

from trajectories.reducers.attention_kinds import KINDS, LOOPING, item
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.notes import CLAIM_LIFE
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.tables import Key, Value
from trajectories.reducers.topic import Seen, Topic

UNREVIEWED = rule(
    "unreviewed_s",
    600,
    "s",
    "An open pull is short of a reviewer when nobody else was asked or spoke for this long.",
    run_part=8,
)
UNTAKEN = rule(
    "untaken_s", 600, "s", "A lost claim needs attention when no peer took it over for this long.", run_part=8
)
EXPIRY_NOTICE = rule(
    "expiry_notice_s", 600, "s", "A claim is about to expire this long before its life is over (at most a sixth of it)."
)
NUDGE_ANSWER = rule(
    "nudge_answer_s", 120, "s", "A nudge is without effect when its worker begins no turn for this long."
)
TURN_ERRORS = rule(
    "turn_errors", 3, "turns", "A worker is stuck when this many of its turns in a row ended in an error."
)


class Attention(Topic):
    """One row a cause, keyed `{kind}:{subject}`; gone when the cause is, and all gone when the run is over."""

    table = "attention"

    def prepare(self) -> None:
        self.taken_back = self.state.index("attention.taken_back")  # pull -> {reviewer that took its approval back}
        self.errors = self.state.index("attention.errors")  # worker -> turns in a row that ended in an error

    # workers

    def heard_worker_exited(self, worker: int, expected: bool, seen: Seen) -> None:
        """Dead, unless it was to end."""
        self._clear(f"worker_silent:{worker}", f"worker_stuck:{worker}", f"nudge_unanswered:{worker}")
        self.team.tallies.show_loops()
        if not expected:
            self._raise("worker_dead", worker, seen.said, seen.ref, worker=worker)

    def heard_worker_returned(self, worker: int, seen: Seen) -> None:
        """Its next life has joined."""
        self.state.remove(self.errors, worker)
        kinds = ("worker_dead", "worker_silent", "worker_stuck", "nudge_unanswered")
        self._clear(*(f"{kind}:{worker}" for kind in kinds))
        self.team.tallies.show_loops()

    def heard_worker_silent(self, worker: int, seen: Seen) -> None:
        """Stalled."""
        self._raise("worker_silent", worker, seen.said, seen.ref, worker=worker)

    def heard_worker_heard(self, worker: int, seen: Seen) -> None:
        """It speaks again."""
        self._clear(f"worker_silent:{worker}")

    def on_nudge_sent(self, seen: Seen) -> None:
        """It has a while to begin a turn."""
        if seen.worker in self.team.workers.rows:
            self._later("nudge_unanswered", seen.worker, NUDGE_ANSWER)

    def on_turn_started(self, seen: Seen) -> None:
        """It answers a nudge; errors are forgiven only by a turn that ends well."""
        self._clear(f"nudge_unanswered:{seen.worker}")

    def on_turn_finished(self, seen: Seen) -> None:
        """Errors in a row, or an end to them."""
        worker = seen.worker
        if worker not in self.team.workers.rows:
            return
        if not seen.fields.get("error"):
            self.state.remove(self.errors, worker)
            self._clear(f"worker_stuck:{worker}")
            return
        errors = self.errors.get(worker, 0) + 1
        self.state.assign(self.errors, worker, errors)
        if errors >= self.team.limits.of(TURN_ERRORS):
            self._raise("worker_stuck", worker, seen.said, seen.ref, worker=worker)

    # nodes and services

    def heard_node_lost(self, node: str, seen: Seen) -> None:
        """Down."""
        self._raise("node_lost", node, seen.said, seen.ref)

    def on_node_joined(self, seen: Seen) -> None:
        """Back."""
        self._clear(f"node_lost:{seen.fields.get('node')}")

    def heard_service_down(self, service: str, status: str, seen: Seen) -> None:
        """Exited or unhealthy."""
        self._raise("service_down", service, seen.said, seen.ref)

    def heard_service_up(self, service: str, seen: Seen) -> None:
        """Back."""
        self._clear(f"service_down:{service}")

    # pulls

    def heard_pull_opened(self, pull: int, author: Who, seen: Seen) -> None:
        """It has a while to find a reviewer."""
        if not self.team.reviews.has_reviewer(pull):
            self._later("pull_unreviewed", pull, UNREVIEWED)

    def heard_review_asked(self, pull: int, reviewer: Who, seen: Seen) -> None:
        """It has one."""
        self._clear(f"pull_unreviewed:{pull}")

    def heard_review_unasked(self, pull: int, seen: Seen) -> None:
        """It may have none again."""
        if not self.team.reviews.has_reviewer(pull):
            self._later("pull_unreviewed", pull, UNREVIEWED)

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """Somebody else spoke."""
        if reviewer != author:
            self._clear(f"pull_unreviewed:{pull}")
            if self.team.reviews.rows[key]["verdict"] == "approved":
                self.state.leave(self.taken_back, pull, reviewer)
                if pull not in self.taken_back:
                    self._clear(f"approval_withdrawn:{pull}")

    def heard_pull_reopened(self, pull: int, seen: Seen) -> None:
        """As if opened."""
        if not self.team.reviews.has_reviewer(pull):
            self._later("pull_unreviewed", pull, UNREVIEWED)

    def heard_pull_settled(self, pull: int, seen: Seen) -> None:
        """Merged or closed: nothing is left to do."""
        self._clear(f"pull_unreviewed:{pull}", f"pull_conflict:{pull}", f"approval_withdrawn:{pull}")

    def heard_review_withdrawn(self, key: str, pull: int, seen: Seen) -> None:
        """An approval of an open pull was taken back."""
        row = self.team.reviews.rows[key]
        if self.team.pulls.is_open(pull) and row["verdict"] == "approved" and row["reviewer"] != row["author"]:
            self.state.member(self.taken_back, pull, row["reviewer"])
            self._raise("approval_withdrawn", pull, seen.said, seen.ref, pull=pull)

    def heard_pull_conflicts(self, pull: int, said: int, ref: str) -> None:
        """Somebody has to rebase it."""
        self._raise("pull_conflict", pull, said, ref, pull=pull)

    def heard_pull_free_of_conflict(self, pull: int) -> None:
        """Its head or base moved, or the forge merges it again."""
        self._clear(f"pull_conflict:{pull}")

    # claims and recoveries

    def heard_claim_opened(self, claim: int, old: int | None, renews: bool, seen: Seen) -> None:
        """Warn before its life is over."""
        life = self.team.limits.ms(CLAIM_LIFE)
        notice = min(self.team.limits.ms(EXPIRY_NOTICE), life // 6)
        self.state.timer(self.table, f"claim_expiring:{claim}", seen.at + life - notice)

    def heard_claim_closed(self, claim: int, status: str, said: int, ref: str) -> None:
        """It no longer can expire."""
        self._clear(f"claim_expiring:{claim}")

    def heard_recovery_opened(self, claim: int, cause: str, said: int, ref: str) -> None:
        """Peers have a while to take it over."""
        self._later("failure_open", claim, UNTAKEN)

    def heard_recovery_taken(self, claim: int, by: int | None, worker: Who, said: int, ref: str) -> None:
        """A peer has it."""
        self._clear(f"failure_open:{claim}")

    def heard_recovery_landed(self, claim: int, by: int | None, said: int, ref: str) -> None:
        """Done."""
        self._clear(f"failure_open:{claim}")

    def heard_recovery_dropped(self, claim: int) -> None:
        """Its own worker has it again."""
        self._clear(f"failure_open:{claim}")

    # time

    def on_run_phase_changed(self, seen: Seen) -> None:
        """From the phase stopping on, nothing is raised."""
        self.team.tallies.show_loops()

    def woken(self, key: Key) -> None:
        """What was due to be better by now is not."""
        kind, _, subject = str(key).partition(":")
        at, ref = self.state.now, self.state.ref
        number = int(subject)
        if kind == "nudge_unanswered":
            if not self.team.workers.is_gone(number):
                self._raise(kind, number, at, ref, worker=number)
        elif kind == "pull_unreviewed":
            if self.team.pulls.is_open(number):
                self._raise(kind, number, at, ref, pull=number)
        else:
            self._raise(kind, number, at, ref, claim=number, worker=self.team.claims.worker_of(number))

    def on_run_ended(self, seen: Seen) -> None:
        """Nobody can act any more."""
        for key in list(self.rows):
            if not str(key).startswith(LOOPING):  # that row is the tallies'
                self.drop(key)

    # inside

    def _later(self, kind: str, subject: object, limit: object) -> None:
        key = f"{kind}:{subject}"
        if key not in self.rows:
            self.state.timer(self.table, key, self.state.now + self.team.limits.ms(limit))  # type: ignore[arg-type]

    def _raise(self, kind: str, subject: Key, said: int, ref: str, **about: Value) -> None:
        key = f"{kind}:{subject}"
        if self.team.limits.closing:
            return
        row = self.rows.get(key)
        if row is not None:
            self.put(key, **with_evidence(row, ref))
            return
        if about.get("pull") is not None and "worker" not in about:
            author = self.team.pulls.author_of(about["pull"])  # type: ignore[arg-type]
            about["worker"] = author if type(author) is int else None
            about["claim"] = self.team.pulls.rows[about["pull"]]["claim"]  # type: ignore[index]
        self.state.start(self.table, key, item(kind, KINDS[kind].cause, stamp(said), [ref], **about))

    def _clear(self, *keys: str) -> None:
        rows, cancel = self.rows, self.state.cancel
        for key in keys:
            cancel(self.table, key)
            if key in rows:
                self.drop(key)
