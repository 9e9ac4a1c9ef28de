"""Rows of the chat as events. A row is the state of a post, not an event: its times say what happened last. Pure, total."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import Event, iso
from trajectories.sources.base import Parsed, RawDelivery, Skipped
from trajectories.sources.reading import moment, part, parts, text

# A new bot greets its owner in a post of this type, which no `system_` prefix gives away.
_GREETING = "add_bot_teams_channels"
_DIRECT = ("D", "G")


def parse(delivery: RawDelivery) -> Parsed:
    """The event of one row, or why there is none."""
    body = delivery.body
    if not isinstance(body, Mapping):
        return Skipped("the body is no JSON object")
    table, row = text(body, "table"), part(body, "row")
    if table == "posts":
        return _post(delivery, body, row)
    if table == "reactions":
        return _reaction(delivery, body, row)
    return Skipped(f"nothing is read from table {str(table)[:40]!r}")


def _post(delivery: RawDelivery, body: Mapping[str, Any], row: Mapping[str, Any]) -> Parsed:
    message, kind = text(row, "id"), text(row, "type") or ""
    if not message:
        return Skipped("a post without an id")
    if text(row, "originalid"):
        return Skipped("the text a post had before an edit")
    if kind.startswith("system_") or kind == _GREETING:
        return Skipped(f"a {kind} post is no message")
    deleted, edited = moment(row, "deleteat"), moment(row, "editat")
    if deleted is not None:
        return [_event(delivery, body, "message.deleted", deleted, {"message": message})]
    channel = part(body, "channel")
    direct = text(channel, "type") in _DIRECT
    fields: dict[str, Any] = {
        "message": message,
        "kind": "direct" if direct else "channel",
        "channel": (None if direct else text(channel, "name")) or text(channel, "id") or text(row, "channelid"),
        "to": _to(channel, text(row, "userid")) if direct else [],
        "text": text(row, "message") or "",
        "reply_to": text(row, "rootid") or None,
    }
    created = moment(row, "createat")
    if edited is not None:
        fields["created_at"] = None if created is None else iso(created)
        return [_event(delivery, body, "message.edited", edited, fields)]
    return [_event(delivery, body, "message.posted", created, fields)]


def _reaction(delivery: RawDelivery, body: Mapping[str, Any], row: Mapping[str, Any]) -> Parsed:
    message, emoji = text(row, "postid"), text(row, "emojiname")
    if not message or not emoji:
        return Skipped("a reaction without post or emoji")
    deleted = moment(row, "deleteat")
    kind = "reaction.added" if deleted is None else "reaction.removed"
    said = deleted if deleted is not None else moment(row, "updateat")
    return [_event(delivery, body, kind, said, {"message": message, "emoji": emoji})]


def _to(channel: Mapping[str, Any], sender: str | None) -> list[str]:
    """The other members of a direct or group channel."""
    others = [each for each in parts(channel, "members") if text(each, "id") != sender]
    return sorted(f"mattermost:{name}" for each in others if (name := text(each, "username")))


def _event(
    delivery: RawDelivery, body: Mapping[str, Any], kind: str, said_at: int | None, fields: dict[str, Any]
) -> Event:
    # A deletion is the act of whoever deleted, if the row says who.
    user = (part(body, "by") if kind == "message.deleted" else {}) or part(body, "user")
    name, id = text(user, "username"), text(user, "id") or text(part(body, "row"), "userid")
    return Event(
        at=delivery.at,
        source="mattermost",
        seq=delivery.seq,
        id=delivery.id,
        part=0,
        kind=kind,
        actor=f"mattermost:{name}" if name else None,
        said_at=said_at,
        fields=fields | {"actor_id": id},
    )
