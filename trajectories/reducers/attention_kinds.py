"""What can need a person's attention: how bad each kind is, its cause and the one action that helps, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.tables import Row, Value

BAD, WARN, NOTE = "bad", "warn", "note"
LOOPING: Final = "worker_looping"


class Kind(NamedTuple):
    """`severity` bad, warn or note."""

    severity: str
    cause: str
    action: str


KINDS: Final = {
    "worker_dead": Kind(BAD, "Its process ended unexpectedly.", "Read its last steps"),
    "worker_silent": Kind(BAD, "Nothing has been heard from it for too long.", "Read its last steps"),
    "worker_stuck": Kind(WARN, "Its turns end in errors.", "Nudge or stop it"),
    "nudge_unanswered": Kind(WARN, "A nudge stayed without effect: it began no turn.", "Nudge or stop it"),
    LOOPING: Kind(WARN, "The same tool call fails over and over:", "Read its last steps"),
    "node_lost": Kind(BAD, "The node no longer answers.", "Look after the node"),
    "service_down": Kind(BAD, "The service does not answer.", "Read its log"),
    "pull_conflict": Kind(WARN, "It conflicts with its base.", "See who rebases it"),
    "pull_unreviewed": Kind(WARN, "Nobody was asked to review it and nobody has.", "See who could review it"),
    "approval_withdrawn": Kind(
        WARN, "An approval was taken back and the pull is still open.", "Read the counterexample"
    ),
    "failure_open": Kind(WARN, "The work was lost and no peer has taken it over.", "Read what went wrong"),
    "claim_expiring": Kind(NOTE, "Its life is nearly over and nothing has landed.", "See how far it is"),
}


def item(kind: str, cause: str, since: str, refs: Sequence[str], **about: Value) -> Row:
    """The fields of a row of that kind."""
    told = KINDS[kind]
    known: Row = {"kind": kind, "since": since, "severity": told.severity, "cause": cause, "action": told.action}
    return {**known, **about, **with_evidence(None, *refs)}
