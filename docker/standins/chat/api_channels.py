"""Channels, direct channels and their members."""

from __future__ import annotations

from typing import Any

from standins.chat import posts, shapes
from standins.chat.chat import Chat, Row
from standins.chat.handlers import FORBIDDEN, HANDLERS, need_user, page_of, self_or_admin
from standins.web import Answer, Call, Refused


@HANDLERS("POST", "/api/v4/channels")
def add_channel(chat: Chat, call: Call) -> Answer:
    doer = need_user(call)
    team, kind = call.text("team_id"), call.text("type")
    if kind not in ("O", "P"):
        raise Refused(400, "Invalid type.", "model.channel.is_valid.type.app_error")
    if chat.store.value("SELECT 1 FROM teammembers WHERE teamid = ? AND userid = ?", team, doer["id"]) is None:
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    more = {"header": call.text("header"), "purpose": call.text("purpose")}
    with chat.store.change():
        made = chat.add_channel(team, call.text("name"), call.text("display_name"), kind, doer["id"], **more)
        chat.join(made, doer)
        posts.joined(chat, made, doer, doer, "channel")
    return Answer(shapes.channel(made), 201)


@HANDLERS("GET", "/api/v4/channels/{channel_id}")
def get_channel(chat: Chat, call: Call) -> Answer:
    return Answer(shapes.channel(chat.readable(call.params["channel_id"], need_user(call))))


@HANDLERS("GET", "/api/v4/teams/{team_id}/channels/name/{channel_name}")
def get_channel_named(chat: Chat, call: Call) -> Answer:
    need_user(call)
    found = chat.store.one(
        "SELECT * FROM channels WHERE teamid = ? AND name = ?", call.params["team_id"], call.params["channel_name"]
    )
    if found is None:
        raise Refused(404, "Channel does not exist.", "app.channel.get_by_name.missing.app_error")
    return Answer(shapes.channel(found))


@HANDLERS("GET", "/api/v4/channels/{channel_id}/members")
def list_members(chat: Chat, call: Call) -> Answer:
    channel = chat.readable(call.params["channel_id"], need_user(call))
    page, size = page_of(call)
    rows = chat.store.all(
        "SELECT * FROM channelmembers WHERE channelid = ? ORDER BY userid LIMIT ? OFFSET ?",
        channel["id"],
        size,
        page * size,
    )
    return Answer([shapes.channel_member(row) for row in rows])


@HANDLERS("POST", "/api/v4/channels/{channel_id}/members")
def add_member(chat: Chat, call: Call) -> Answer:
    """One by `user_id`, or several by `user_ids`: the answer is a list where there were several."""
    doer = need_user(call)
    channel = chat.channel(call.params["channel_id"])
    several = call.body.get("user_ids")
    ids = [str(each) for each in several] if isinstance(several, list) else [call.text("user_id") or doer["id"]]
    if channel["type"] in ("D", "G"):
        raise Refused(
            400, "Users cannot be added to direct channels.", "api.channel.add_user.to.channel.failed.app_error"
        )
    members = [_add(chat, channel, chat.user(id), doer) for id in ids]
    return Answer(members if len(ids) > 1 else members[0], 201)


def _add(chat: Chat, channel: Row, user: Row, doer: Row) -> dict[str, Any]:
    if (
        chat.store.value("SELECT 1 FROM teammembers WHERE teamid = ? AND userid = ?", channel["teamid"], user["id"])
        is None
    ):
        raise Refused(400, "The user is not in the team.", "api.channel.add_members.user_denied")
    if user["id"] != doer["id"] and not chat.is_member(channel["id"], doer["id"]) and not chat.is_admin(doer):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    with chat.store.change():
        if chat.join(channel, user):
            posts.joined(chat, channel, user, doer, "channel")
    row = chat.store.one("SELECT * FROM channelmembers WHERE channelid = ? AND userid = ?", channel["id"], user["id"])
    assert row is not None
    return shapes.channel_member(row)


@HANDLERS("POST", "/api/v4/channels/direct")
def direct(chat: Chat, call: Call) -> Answer:
    doer = need_user(call)
    if not isinstance(call.body, list) or len(call.body) != 2:
        raise Refused(400, "Invalid or missing user ids in request body.", "api.context.invalid_body_param.app_error")
    one, other = (chat.user(str(each)) for each in call.body)
    if doer["id"] not in (one["id"], other["id"]) and not chat.is_admin(doer):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    return Answer(shapes.channel(chat.direct_channel(one, other)), 201)


@HANDLERS("GET", "/api/v4/users/{user_id}/channels")
def channels_of(chat: Chat, call: Call) -> Answer:
    user = self_or_admin(chat, call)
    rows = chat.store.all(
        "SELECT c.* FROM channels c JOIN channelmembers m ON m.channelid = c.id WHERE m.userid = ? ORDER BY c.createat, c.id",
        user["id"],
    )
    return Answer([shapes.channel(row) for row in rows])


@HANDLERS("GET", "/api/v4/users/{user_id}/teams/{team_id}/channels")
def channels_of_team(chat: Chat, call: Call) -> Answer:
    user = self_or_admin(chat, call)
    rows = chat.store.all(
        "SELECT c.* FROM channels c JOIN channelmembers m ON m.channelid = c.id "
        "WHERE m.userid = ? AND c.teamid IN (?, '') ORDER BY c.createat, c.id",
        user["id"],
        call.params["team_id"],
    )
    return Answer([shapes.channel(row) for row in rows])
