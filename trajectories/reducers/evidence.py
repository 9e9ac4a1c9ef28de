"""Evidence lists: the first ten and the latest ten references beside their count."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.tables import Row, Value

EDGE: Final = 10


def with_evidence(row: Row | None, *refs: str) -> dict[str, Value]:
    """The fields `evidence` and `evidence_count` of a row after these references; one that is listed adds nothing."""
    old = row["evidence"] if row is not None else []
    listed: list[str] = old if isinstance(old, list) else []  # type: ignore[assignment]
    before = row["evidence_count"] if row is not None else 0
    count = before if type(before) is int else 0
    for ref in refs:
        if not ref or ref in listed:
            continue
        count += 1
        listed = [*listed[:EDGE], *listed[EDGE + 1 :], ref] if len(listed) >= 2 * EDGE else [*listed, ref]
    return {"evidence": listed, "evidence_count": count}
