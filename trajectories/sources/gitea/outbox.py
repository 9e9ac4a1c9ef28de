"""What is read of a forge's database: its outbox table, column by column, and what it knows of conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trajectories.sources.outbox import Outbox, reading

PAGE = 200
COLUMNS = ("id", "uuid", "event_type", "delivered", "payload_content")
# `pull_request.status` of Gitea.
CONFLICT, CHECKING, MERGEABLE = 0, 1, 2
_TESTED = """
SELECT p."index" AS number, p.status, (
  SELECT md5(string_agg(concat_ws(':', v.id, v.type, v.dismissed, v.stale, v.updated_unix), ',' ORDER BY v.id))
  FROM review v WHERE v.issue_id = p.issue_id) AS reviews
FROM pull_request p JOIN repository r ON r.id = p.base_repo_id
WHERE r.lower_name = ? AND lower(r.owner_name) = ? AND p.has_merged = false
"""


class Verdict(NamedTuple):
    """A pull as its forge's tables have it: the test's `status`, and a name for the state of its reviews."""

    status: int
    reviews: str | None


def hooks_after(box: Outbox, known: dict[str, Any], last: int, holes: Sequence[int]) -> list[dict[str, Any]]:
    """The next rows above `last`, and those of `holes` that have come by now. What a hook was sent with is left there."""
    if "event_uuid" not in known:
        known["event_uuid"] = "event_uuid" in _columns(box)
    names = ", ".join((*COLUMNS, "event_uuid") if known["event_uuid"] else COLUMNS)
    marks = f" OR id IN ({', '.join('?' * len(holes))})" if holes else ""
    asked = f"SELECT {names} FROM hook_task WHERE id > ?{marks} ORDER BY id LIMIT {PAGE}"  # noqa: S608 - names are ours
    return box.rows(asked, [last, *holes])


def _columns(box: Outbox) -> set[str]:
    """The columns of the outbox; the two databases tell them in two ways."""
    where = (
        "pragma_table_info('hook_task')"
        if box.is_sqlite
        else "information_schema.columns WHERE table_name = 'hook_task'"
    )
    name = "name" if box.is_sqlite else "column_name"
    return {str(row[name]) for row in box.rows(f"SELECT {name} FROM {where}")}  # noqa: S608 - both are ours


def tested(dsn: str, forge: Mapping[str, Any]) -> dict[str, Verdict] | None:
    """What the forge's own tables say of each unmerged pull, by number; None where they are not Gitea's.

    REST calls a pull "not mergeable" while it is still being tested and shows a deleted review by its absence alone: only
    this tells a conflict for sure, and every change of a review, without a call.
    """
    if not dsn.startswith(("postgresql://", "postgres://")):
        return None
    with reading(dsn) as box:
        rows = box.rows(_TESTED, [str(forge.get("repo")).lower(), str(forge.get("owner")).lower()])
    return {str(row["number"]): Verdict(int(row["status"]), row["reviews"]) for row in rows}
