"""Every change of a status as columns: from a megabyte the browser tells the census of any second, and need not ask.

The tile `statuses`: head `{"version": 1, "base": ms, "fields": [..], "values": [..], "keys": {table: [..]}}`, then one AGTL block whose
columns are time (ms since base), kind (field), n (key, by its place in the table's list) and flags (value; 255 = the row is dropped).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trajectories.derive.agtl import Row, encode
from trajectories.derive.tiles import pack
from trajectories.reducers import Change

FIELDS = (
    "workers.status",
    "claims.status",
    "pulls.status",
    "pulls.conflict",
    "reviews.status",
    "reviews.verdict",
    "recoveries.status",
    "roles.role",
    "roles.until",
    "roles.share",
    "nodes.status",
    "checkpoints.seen",
)
DROPPED = 255
#: what a change must name to set one of them
_SAID_BY = {"until": ("until",), "share": ("share_ppm",), "seen": ("rate_ppm", "error_code")}
_OF_TABLE: dict[str, list[tuple[int, str]]] = {}
for _index, _name in enumerate(FIELDS):
    _table, _, _field = _name.partition(".")
    _OF_TABLE.setdefault(_table, []).append((_index, _field))
_NAMES = {
    table: frozenset(name for _, field in fields for name in _SAID_BY.get(field, (field,)))
    for table, fields in _OF_TABLE.items()
}


class Statuses:
    """Takes the changes of a settled run in their order."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.values: dict[Any, int] = {}
        self.keys: dict[str, dict[Any, int]] = {}
        self.base = 0

    def take(self, changes: Iterable[Change]) -> None:
        """Keep what changes a status; everything else is passed over."""
        for change in changes:
            fields = _OF_TABLE.get(change.table)
            if fields is None:
                continue
            if change.op == "put" and _NAMES[change.table].isdisjoint(change.fields):
                continue
            if change.op == "drop":
                self._row(change, fields[0][0], DROPPED)
                continue
            for index, field in fields:
                value = _value(field, change.fields)
                if value is not None:
                    self._row(change, index, self.values.setdefault(value, len(self.values)))

    def finish(self) -> bytes:
        """The tile."""
        assert len(self.values) < DROPPED, "more words of status than a byte can name"
        values = [None if value == "" else value for value in self.values]
        keys = {table: list(own) for table, own in self.keys.items()}
        head = {"version": 1, "base": self.base, "fields": FIELDS, "values": values, "keys": keys}
        return pack(head, encode(self.rows))

    def _row(self, change: Change, field: int, value: int) -> None:
        self.base = self.base or change.at
        own = self.keys.setdefault(change.table, {})
        key = own.setdefault(change.key, len(own))
        self.rows.append((change.at - self.base, 0, 0, field, key, value))


def _value(field: str, fields: dict[str, Any]) -> Any:
    """The new value, `""` for null; None where this change does not set it."""
    if field == "share":
        share = fields.get("share_ppm")
        return None if share is None else f"{round(share / 10_000)} %"
    if field == "until":
        return None if "until" not in fields else "" if fields["until"] is None else "over"
    if field == "seen":
        return "seen" if "rate_ppm" in fields or "error_code" in fields else None
    if field not in fields:
        return None
    return "" if fields[field] is None else str(fields[field])
