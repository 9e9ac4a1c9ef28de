"""Evidence lists: the first ten and the latest ten references beside their count."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.tables import Row, Value

EDGE: Final = 10
_NONE: Final[Row] = {"evidence": [], "evidence_count": 0}


def with_evidence(row: Row | None, *refs: str) -> dict[str, Value]:
    """The fields `evidence` and `evidence_count` of a row after these references; one that is listed adds nothing."""
    if row is None:
        if len(refs) == 1 and refs[0]:  # what most rows begin with
            return {"evidence": [refs[0]], "evidence_count": 1}
        row = _NONE
    old, before = row["evidence"], row["evidence_count"]
    listed: list[str] = old if isinstance(old, list) else []  # type: ignore[assignment]
    count = before if type(before) is int else 0
    for ref in refs:
        if not ref or ref in listed:
            continue
        count += 1
        listed = [*listed[:EDGE], *listed[EDGE + 1 :], ref] if len(listed) >= 2 * EDGE else [*listed, ref]
    return {"evidence": listed, "evidence_count": count}
