"""Rows as Mattermost's API shows them."""

from __future__ import annotations

import json
from typing import Any

from standins.chat.chat import Chat, Row, props_of


def user(chat: Chat, row: Row) -> dict[str, Any]:
    shown = {
        "id": row["id"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "delete_at": row["deleteat"],
        "username": row["username"],
        "auth_service": "",
        "email": row["email"],
        "nickname": row["nickname"],
        "first_name": row["firstname"],
        "last_name": row["lastname"],
        "position": "",
        "roles": row["roles"],
        "locale": row["locale"],
        "timezone": {"automaticTimezone": "", "manualTimezone": "", "useAutomaticTimezone": "true"},
        "disable_welcome_email": False,
    }
    bot = chat.bot(row["id"])
    return shown | ({"is_bot": True, "bot_description": bot["description"]} if bot else {})


def bot(row: Row) -> dict[str, Any]:
    return {
        "user_id": row["userid"],
        "username": row["username"],
        "display_name": row["displayname"],
        "description": row["description"],
        "owner_id": row["ownerid"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "delete_at": row["deleteat"],
    }


def team(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "delete_at": row["deleteat"],
        "display_name": row["displayname"],
        "name": row["name"],
        "description": row["description"],
        "email": "",
        "type": row["type"],
        "company_name": "",
        "allowed_domains": "",
        "invite_id": "",
        "allow_open_invite": False,
        "scheme_id": None,
        "group_constrained": None,
        "policy_id": None,
    }


def team_member(row: Row) -> dict[str, Any]:
    return {
        "team_id": row["teamid"],
        "user_id": row["userid"],
        "roles": "team_user",
        "delete_at": row["deleteat"],
        "scheme_guest": False,
        "scheme_user": True,
        "scheme_admin": False,
        "explicit_roles": "",
    }


def channel(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "delete_at": row["deleteat"],
        "team_id": row["teamid"],
        "type": row["type"],
        "display_name": row["displayname"],
        "name": row["name"],
        "header": row["header"],
        "purpose": row["purpose"],
        "last_post_at": row["lastpostat"],
        "total_msg_count": row["totalmsgcount"],
        "extra_update_at": 0,
        "creator_id": row["creatorid"],
        "scheme_id": None,
        "props": None,
        "group_constrained": None,
        "shared": None,
        "total_msg_count_root": row["totalmsgcount"],
        "policy_id": None,
        "last_root_post_at": row["lastpostat"],
    }


def channel_member(row: Row) -> dict[str, Any]:
    return {
        "channel_id": row["channelid"],
        "user_id": row["userid"],
        "roles": row["roles"],
        "last_viewed_at": row["lastviewedat"],
        "msg_count": row["msgcount"],
        "mention_count": row["mentioncount"],
        "mention_count_root": 0,
        "urgent_mention_count": 0,
        "msg_count_root": 0,
        "notify_props": json.loads(row["notifyprops"] or "{}"),
        "last_update_at": row["lastupdateat"],
        "scheme_guest": False,
        "scheme_user": True,
        "scheme_admin": False,
        "explicit_roles": "",
    }


def reaction(row: Row) -> dict[str, Any]:
    return {
        "user_id": row["userid"],
        "post_id": row["postid"],
        "emoji_name": row["emojiname"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "delete_at": row["deleteat"],
        "remote_id": "",
        "channel_id": row["channelid"],
    }


def post(chat: Chat, row: Row, *, metadata: bool = True) -> dict[str, Any]:
    """A post; with its reactions in `metadata` where it has any."""
    store = chat.store
    root = row["rootid"] or row["id"]
    replies = store.value("SELECT count(*) FROM posts WHERE rootid = ? AND deleteat = 0", root)
    shown = {
        "id": row["id"],
        "create_at": row["createat"],
        "update_at": row["updateat"],
        "edit_at": row["editat"],
        "delete_at": row["deleteat"],
        "is_pinned": bool(row["ispinned"]),
        "user_id": row["userid"],
        "channel_id": row["channelid"],
        "root_id": row["rootid"],
        "original_id": row["originalid"],
        "message": row["message"],
        "type": row["type"],
        "props": props_of(row),
        "hashtags": row["hashtags"],
        "file_ids": json.loads(row["fileids"] or "[]"),
        "pending_post_id": "",
        "remote_id": "",
        "reply_count": replies,
        "last_reply_at": 0,
        "participants": None,
        "metadata": {},
    }
    if row["hasreactions"]:
        shown["has_reactions"] = True
        if metadata:
            found = store.all("SELECT * FROM reactions WHERE postid = ? AND deleteat = 0", row["id"])
            shown["metadata"] = {"reactions": [reaction(each) for each in found]}
    return shown


def post_list(chat: Chat, rows: list[Row], roots: list[Row] | None = None) -> dict[str, Any]:
    """Posts in the order given, with others they refer to."""
    return {
        "order": [row["id"] for row in rows],
        "posts": {row["id"]: post(chat, row) for row in [*rows, *(roots or [])]},
        "next_post_id": "",
        "prev_post_id": "",
        "first_inaccessible_post_time": 0,
    }
