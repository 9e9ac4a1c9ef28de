"""Posts and reactions, with Mattermost's own way of keeping them: an edit leaves the old text as a row, a reply or a
reaction touches what it belongs to."""

from __future__ import annotations

import json
from typing import Any

from standins.chat.chat import Chat, Row, new_id
from standins.store import now_ms
from standins.web import Refused

LONGEST = 16_383


def find(chat: Chat, id: str, *, deleted: bool = False) -> Row:
    """A post that was not deleted (or any, if asked). Raises Refused(404)."""
    post = chat.store.one("SELECT * FROM posts WHERE id = ?", id)
    if post is None or (post["deleteat"] and not deleted):
        raise Refused(404, "Unable to get the post.", "app.post.get.app_error")
    return post


def create(
    chat: Chat,
    channel: Row,
    user: Row,
    message: str,
    *,
    root: str = "",
    kind: str = "",
    props: dict[str, Any] | None = None,
) -> Row:
    """Write a post. Raises Refused(400) for a text too long or a root that is none."""
    if len(message) > LONGEST:
        raise Refused(
            400,
            "Post Message property is longer than the maximum permitted characters.",
            "model.post.is_valid.message_length.app_error",
        )
    id = new_id()
    with chat.store.change() as db:
        at = now_ms()
        if root:
            parent = find(chat, root)
            if parent["rootid"] or parent["channelid"] != channel["id"]:
                raise Refused(400, "Invalid RootId parameter.", "api.post.create_post.root_id.app_error")
            db.execute("UPDATE posts SET updateat = ? WHERE id = ?", (at, root))
        chat.store.add(
            "posts",
            id=id,
            createat=at,
            updateat=at,
            userid=user["id"],
            channelid=channel["id"],
            rootid=root,
            message=message,
            type=kind,
            props=json.dumps((props or {}) | ({"from_bot": "true"} if chat.bot(user["id"]) else {})),
        )
        # What the chat says of itself is no message.
        db.execute(
            "UPDATE channels SET lastpostat = ?, totalmsgcount = totalmsgcount + ? WHERE id = ?",
            (at, int(not kind.startswith("system_")), channel["id"]),
        )
    return find(chat, id)


def joined(chat: Chat, channel: Row, user: Row, doer: Row, what: str) -> None:
    """What the chat says when somebody joins a `channel` or `team`, or is added by another."""
    if user["id"] == doer["id"]:
        text, props = f"{user['username']} joined the {what}.", {"username": user["username"]}
        create(chat, channel, user, text, kind=f"system_join_{what}", props=props)
        return
    props = {
        "userId": doer["id"],
        "username": doer["username"],
        "addedUserId": user["id"],
        "addedUsername": user["username"],
    }
    text = f"{user['username']} added to the {what} by {doer['username']}."
    create(chat, channel, doer, text, kind=f"system_add_to_{what}", props=props)


def edit(chat: Chat, post: Row, message: str) -> Row:
    """Give a post another text; the old one stays as a deleted row that names its original."""
    with chat.store.change() as db:
        at = now_ms()
        history = {**post, "id": new_id(), "originalid": post["id"], "deleteat": at, "updateat": at}
        db.execute("UPDATE posts SET message = ?, editat = ?, updateat = ? WHERE id = ?", (message, at, at, post["id"]))
        chat.store.add("posts", **history)
    return find(chat, post["id"])


def delete(chat: Chat, post: Row, doer: Row) -> None:
    """Mark a post and its thread as deleted, each with who did it; replies that were deleted before are marked anew."""
    with chat.store.change() as db:
        at = now_ms()
        db.execute(
            "UPDATE posts SET deleteat = ?, updateat = ?, props = json_set(props, '$.deleteBy', ?) WHERE id = ? OR rootid = ?",
            (at, at, doer["id"], post["id"], post["id"]),
        )
        if post["rootid"]:
            db.execute("UPDATE posts SET updateat = ? WHERE id = ?", (at, post["rootid"]))


def react(chat: Chat, post: Row, user: Row, emoji: str) -> Row:
    """Add a reaction; one taken back earlier comes alive again in the same row."""
    with chat.store.change() as db:
        at = now_ms()
        db.execute(
            "INSERT INTO reactions (userid, postid, emojiname, createat, updateat, deleteat, channelid) "
            "VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT (postid, userid, emojiname) "
            "DO UPDATE SET updateat = excluded.updateat, deleteat = 0",
            (user["id"], post["id"], emoji, at, at, post["channelid"]),
        )
        db.execute("UPDATE posts SET hasreactions = 1, updateat = ? WHERE id = ?", (at, post["id"]))
    found = chat.store.one(
        "SELECT * FROM reactions WHERE postid = ? AND userid = ? AND emojiname = ?", post["id"], user["id"], emoji
    )
    assert found is not None
    return found


def unreact(chat: Chat, post: Row, user: Row, emoji: str) -> None:
    """Take a reaction back; where there is none, that is no fault, and one taken back before is marked anew."""
    with chat.store.change() as db:
        at = now_ms()
        db.execute(
            "UPDATE reactions SET deleteat = ?, updateat = ? WHERE postid = ? AND userid = ? AND emojiname = ?",
            (at, at, post["id"], user["id"], emoji),
        )
        left = db.execute("SELECT count(*) FROM reactions WHERE postid = ? AND deleteat = 0", (post["id"],)).fetchone()[
            0
        ]
        db.execute("UPDATE posts SET hasreactions = ?, updateat = ? WHERE id = ?", (int(left > 0), at, post["id"]))


def reactions(chat: Chat, post_id: str) -> list[Row]:
    return chat.store.all("SELECT * FROM reactions WHERE postid = ? AND deleteat = 0 ORDER BY createat", post_id)


def thread(chat: Chat, post: Row) -> list[Row]:
    """The root, then its replies, oldest first."""
    root = post["rootid"] or post["id"]
    return chat.store.all(
        "SELECT * FROM posts WHERE (id = ? OR rootid = ?) AND deleteat = 0 ORDER BY rootid <> '', createat, id",
        root,
        root,
    )
