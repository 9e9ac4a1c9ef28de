"""Reading the chat's tables on from a cursor: rows by (`updateat`, id), ten seconds over again, for rows commit late.

Cursor: `{"posts": ms, "reactions": ms, "recent": {delivery id: updateat}, "newest": ms}`. `recent` holds what was
handed out of the last ten seconds, so a version is handed out once and once more only when somebody touches its row later.
What a row tells of itself and of its own past is `versions.py`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from trajectories.sources.base import Pulled, RawDelivery
from trajectories.sources.mattermost.versions import Version, deleter, versions
from trajectories.sources.outbox import Outbox, reading

OVERLAP_MS = 10_000
PAGE = 500
_KEYS = {"posts": ("id",), "reactions": ("postid", "userid", "emojiname")}


def pull(endpoints: Mapping[str, Any], cursor: Any) -> Pulled:
    """The next rows of posts and reactions. Raises OutboxUnread. Without a chat there is nothing to read."""
    dsn = (endpoints.get("chat") or {}).get("outbox")
    known: dict[str, Any] = dict(cursor) if isinstance(cursor, Mapping) else {}
    if not dsn:
        return Pulled([], known, known.get("newest"))
    recent: dict[str, int] = dict(known.get("recent") or {})
    found: list[RawDelivery] = []
    more = False
    with reading(str(dsn)) as box:
        for table in ("posts", "reactions"):
            told, upto, full = _read(box, table, int(known.get(table) or 0), recent)
            found += _deliveries(box, table, told)
            known[table], more = upto, more or full
    edge = min(int(known[table]) for table in ("posts", "reactions")) - OVERLAP_MS
    known["recent"] = {id: at for id, at in recent.items() if at >= edge}
    newest = [at for at in (known.get("newest"), *(each.at for each in found)) if at]
    known["newest"] = max(newest) if newest else None
    found.sort(key=lambda each: (each.at, each.id))
    return Pulled(found, known, known["newest"], more)


def _read(box: Outbox, table: str, upto: int, recent: dict[str, int]) -> tuple[list[Version], int, bool]:
    """Versions not handed out yet, the new `updateat` reached and whether there are more rows."""
    keys = _KEYS[table]
    found: list[Version] = []
    edge: tuple[Any, ...] = (max(0, upto - OVERLAP_MS), *("" for _ in keys))
    while True:
        order = ", ".join(("updateat", *keys))
        marks = ", ".join("?" * len(edge))
        rows = box.rows(
            f"SELECT * FROM {table} WHERE ({order}) > ({marks}) ORDER BY {order} LIMIT {PAGE}",  # noqa: S608 - own names
            edge,
        )
        for row in rows:
            at = int(row["updateat"])
            upto = max(upto, at)
            found += [each for each in versions(table, row) if each.id not in recent]
            recent |= {each.id: at for each in versions(table, row)}
            edge = (at, *(row[key] for key in keys))
        if len(rows) < PAGE:
            return found, upto, False
        if len(found) >= PAGE:
            return found, upto, True


def _deliveries(box: Outbox, table: str, told: list[Version]) -> list[RawDelivery]:
    rows = [each.row for each in told]
    channels = _channels(box, {str(row["channelid"]) for row in rows if row.get("channelid")})
    users = _users(box, {str(row["userid"]) for row in rows} | {deleter(row) for row in rows if deleter(row)})
    now = time.time_ns() // 1_000_000
    made = []
    for each in told:
        row = each.row
        channel = channels.get(row.get("channelid"), {"id": row.get("channelid")})
        user = users.get(row["userid"], {"id": row["userid"]})
        body = {"table": table, "row": _plain(row), "channel": channel, "user": user}
        if each.recovered:
            body["recovered"] = each.recovered
        if by := deleter(row):
            body["by"] = users.get(by, {"id": by})
        made.append(RawDelivery(each.id, each.at, each.at, now, body))
    return made


def _channels(box: Outbox, ids: set[str]) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for each in _in(box, "SELECT id, type, name, displayname FROM channels WHERE id IN", ids):
        shown = {"id": each["id"], "type": each["type"], "name": each["name"], "display_name": each["displayname"]}
        found[each["id"]] = shown | ({"members": []} if each["type"] in ("D", "G") else {})
    direct = {id for id, channel in found.items() if "members" in channel}
    members = _in(
        box,
        "SELECT m.channelid, u.id, u.username FROM channelmembers m JOIN users u ON u.id = m.userid WHERE m.channelid IN",
        direct,
        "ORDER BY u.username",
    )
    for each in members:
        found[each["channelid"]]["members"].append({"id": each["id"], "username": each["username"]})
    return found


def _users(box: Outbox, ids: set[str]) -> dict[Any, dict[str, Any]]:
    return {each["id"]: dict(each) for each in _in(box, "SELECT id, username FROM users WHERE id IN", ids)}


def _in(box: Outbox, sql: str, ids: set[str], tail: str = "") -> list[dict[str, Any]]:
    if not ids:
        return []
    return box.rows(f"{sql} ({', '.join('?' * len(ids))}) {tail}", sorted(ids))


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as JSON whatever the database: jsonb columns come decoded from Postgres, as text from SQLite."""
    shown: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, (dict, list)):
            value = json.dumps(value, sort_keys=True, separators=(",", ":"))
        elif name in ("hasreactions", "ispinned"):
            value = bool(value)
        shown[name] = value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
    return shown
