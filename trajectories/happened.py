"""What the run says of its own beginning, end, scores and losses: the events behind statements that are about no row with evidence."""

from __future__ import annotations

from typing import Any

from trajectories.joined.finding import Finding, Story
from trajectories.newest import Newest
from trajectories.summary import LOST

KINDS = {
    "started": ("run.started",),
    "ended": ("run.ended",),
    "scores": ("checkpoint.scored",),
    "losses": ("worker.exited", "worker.silent"),
}
TOLD = {
    "started": "How the run was launched",
    "ended": "How the run ended",
    "scores": "Every score",
    "losses": "Workers lost",
}
FIRST = LATEST = 10  # references kept of many, as rows of the State keep them


def happened(newest: Newest, name: str) -> Story:
    """The events of that name, in canonical order. Raises KeyError for a name that is none of KINDS."""
    return _found(newest, name).story()


def proofs(newest: Newest) -> dict[str, dict[str, Any]]:
    """name -> `{"proof", "refs", "refs_count"}`, as `readings.tools.evidence` tells a row's."""
    told = {}
    for name in KINDS:
        refs = [line.ref for line in happened(newest, name).moments]
        kept = refs if len(refs) <= FIRST + LATEST else [*refs[:FIRST], *refs[-LATEST:]]
        told[name] = {"proof": f"proof/run/{name}", "refs": kept, "refs_count": len(refs)}
    return told


def _found(newest: Newest, name: str) -> Finding:
    finding = Finding(newest.run_id)
    lost = {worker for worker, row in newest.tables["workers"].items() if row["status"] in LOST}
    finding.kinds(KINDS[name], lambda event: name != "losses" or _is_loss(event, lost))
    return finding


def _is_loss(event: dict[str, Any], lost: set[Any]) -> bool:
    return event["worker"] in lost and not event["fields"].get("expected")
