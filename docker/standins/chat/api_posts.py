"""Posts: written, read in pages or since a time, edited, deleted, reacted to, reported."""

from __future__ import annotations

from standins.chat import posts, shapes
from standins.chat.chat import Chat, Row
from standins.chat.handlers import FORBIDDEN, HANDLERS, need_user, page_of, self_or_admin
from standins.web import Answer, Call, Refused

_MOST_SINCE = 1_000


@HANDLERS("POST", "/api/v4/posts")
def create(chat: Chat, call: Call) -> Answer:
    user = need_user(call)
    channel = chat.channel(call.text("channel_id"))
    if not chat.is_member(channel["id"], user["id"]) and not chat.is_admin(user):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    if not call.text("message"):
        raise Refused(400, "Invalid or missing message in request body.", "api.context.invalid_body_param.app_error")
    props = call.body.get("props")
    made = posts.create(
        chat,
        channel,
        user,
        call.text("message"),
        root=call.text("root_id"),
        props=props if isinstance(props, dict) else None,
    )
    return Answer(shapes.post(chat, made), 201)


def _readable(chat: Chat, call: Call) -> tuple[Row, Row]:
    user = need_user(call)
    post = posts.find(chat, call.params["post_id"])
    chat.readable(post["channelid"], user)
    return user, post


def _own(chat: Chat, call: Call) -> tuple[Row, Row]:
    user, post = _readable(chat, call)
    if post["userid"] != user["id"] and not chat.is_admin(user):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    return user, post


@HANDLERS("GET", "/api/v4/posts/{post_id}")
def get(chat: Chat, call: Call) -> Answer:
    return Answer(shapes.post(chat, _readable(chat, call)[1]))


@HANDLERS("PUT", "/api/v4/posts/{post_id}/patch")
def edit(chat: Chat, call: Call) -> Answer:
    _, post = _own(chat, call)
    return Answer(shapes.post(chat, posts.edit(chat, post, call.text("message", post["message"]))))


@HANDLERS("DELETE", "/api/v4/posts/{post_id}")
def delete(chat: Chat, call: Call) -> Answer:
    user, post = _own(chat, call)
    posts.delete(chat, post, user)
    return Answer({"status": "OK"})


@HANDLERS("GET", "/api/v4/posts/{post_id}/thread")
def thread(chat: Chat, call: Call) -> Answer:
    _, post = _readable(chat, call)
    return Answer(shapes.post_list(chat, posts.thread(chat, post)))


@HANDLERS("GET", "/api/v4/channels/{channel_id}/posts")
def list_posts(chat: Chat, call: Call) -> Answer:
    channel = chat.readable(call.params["channel_id"], need_user(call))
    since = call.number("since", 0)
    if "since" in call.query:
        # Deleted rows are in it, texts from before an edit too, thread roots come along, and 1,000 is the end of it: there is no second page.
        rows = chat.store.all(
            "SELECT * FROM posts WHERE channelid = ? AND updateat > ? ORDER BY createat DESC, id DESC LIMIT ?",
            channel["id"],
            since,
            _MOST_SINCE,
        )
        known = {row["id"] for row in rows}
        roots = {row["rootid"] for row in rows if row["rootid"]} - known
        return Answer(shapes.post_list(chat, rows, [posts.find(chat, root, deleted=True) for root in sorted(roots)]))
    page, size = page_of(call)
    for word, sign, order in (("after", ">", "ASC"), ("before", "<", "DESC")):
        if call.query.get(word):
            edge = posts.find(chat, call.query[word], deleted=True)
            rows = chat.store.all(
                f"SELECT * FROM posts WHERE channelid = ? AND deleteat = 0 AND (createat, id) {sign} (?, ?) "  # noqa: S608
                f"ORDER BY createat {order}, id {order} LIMIT ? OFFSET ?",
                channel["id"],
                edge["createat"],
                edge["id"],
                size,
                page * size,
            )
            return Answer(shapes.post_list(chat, rows[::-1] if word == "after" else rows))
    rows = chat.store.all(
        "SELECT * FROM posts WHERE channelid = ? AND deleteat = 0 ORDER BY createat DESC, id DESC LIMIT ? OFFSET ?",
        channel["id"],
        size,
        page * size,
    )
    return Answer(shapes.post_list(chat, rows))


@HANDLERS("POST", "/api/v4/reactions")
def react(chat: Chat, call: Call) -> Answer:
    user = need_user(call)
    if call.text("user_id") != user["id"]:
        raise Refused(403, FORBIDDEN, "api.reaction.save_reaction.user_id.app_error")
    post = posts.find(chat, call.text("post_id"))
    chat.readable(post["channelid"], user)
    emoji = call.text("emoji_name")
    if not emoji or len(emoji) > 64:
        raise Refused(400, "Invalid emoji name.", "model.reaction.is_valid.emoji_name.app_error")
    return Answer(shapes.reaction(posts.react(chat, post, user, emoji)))


@HANDLERS("GET", "/api/v4/posts/{post_id}/reactions")
def list_reactions(chat: Chat, call: Call) -> Answer:
    _, post = _readable(chat, call)
    return Answer([shapes.reaction(row) for row in posts.reactions(chat, post["id"])])


@HANDLERS("DELETE", "/api/v4/users/{user_id}/posts/{post_id}/reactions/{emoji_name}")
def unreact(chat: Chat, call: Call) -> Answer:
    user = self_or_admin(chat, call)
    posts.unreact(chat, posts.find(chat, call.params["post_id"]), user, call.params["emoji_name"])
    return Answer({"status": "OK"})
