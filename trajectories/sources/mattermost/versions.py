"""What one row of the chat tells: what holds now, and what it still knows of before. Pure.

A reader that comes late finds only the last state of a row. But an edit leaves the text before it as a row of its own, a deleted
post keeps its text, a reaction the time it was first given: each of these is a version with the id it would have had if it
had been read in time, so whoever did read it in time stores nothing twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Version:
    """A state of a row, with the delivery's id and its time (ms). `recovered` says what it was pieced together from; "" = read as it is."""

    id: str
    at: int
    row: Mapping[str, Any]
    recovered: str = ""


def versions(table: str, row: Mapping[str, Any]) -> list[Version]:
    """Every version a row tells of, oldest first. A reply or a reaction moves `updateat` alone: the versions stay the same."""
    return _of_reaction(row) if table == "reactions" else _of_post(row)


def _of_post(row: Mapping[str, Any]) -> list[Version]:
    post, deleted = str(row["originalid"] or row["id"]), int(row["deleteat"] or 0)
    written = max(int(row["createat"] or 0), int(row["editat"] or 0))
    if row["originalid"]:
        return [_before(row, post, written, "edit history")]
    if deleted:
        return [_before(row, post, written, "the deleted post"), Version(f"{post}@{deleted}", deleted, row)]
    return [Version(f"{post}@{written}", written, row)]


def _before(row: Mapping[str, Any], post: str, written: int, recovered: str) -> Version:
    then = {**row, "id": post, "originalid": "", "deleteat": 0, "updateat": written}
    return Version(f"{post}@{written}", written, then, recovered)


def _of_reaction(row: Mapping[str, Any]) -> list[Version]:
    emoji = quote(str(row["emojiname"]), safe="").replace("~", "~7E").replace("%", "~")
    name, made, at = f"{row['postid']}~{row['userid']}~{emoji}", int(row["createat"] or 0), int(row["updateat"])
    now = Version(f"{name}@{at}", at, row)
    if not 0 < made < at:
        return [now]
    first = {**row, "updateat": made, "deleteat": 0}
    return [Version(f"{name}@{made}", made, first, "the time it was first given"), now]


def deleter(row: Mapping[str, Any]) -> str:
    """The id of who deleted a post: not always its author, and of the replies whoever deleted the thread. "" if nobody says."""
    if not row.get("deleteat") or "props" not in row:
        return ""
    props = row["props"]
    if isinstance(props, str):
        try:
            props = json.loads(props)
        except ValueError:
            return ""
    by = props.get("deleteBy") if isinstance(props, Mapping) else None
    return by if isinstance(by, str) else ""
