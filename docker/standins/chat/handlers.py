"""The registry the handlers of the chat put themselves into, and what they share."""

from __future__ import annotations

from standins.chat.chat import Chat, Row
from standins.web import Call, Handlers, Refused

HANDLERS = Handlers()
FORBIDDEN = "You do not have the appropriate permissions."


def need_user(call: Call) -> Row:
    if call.user is None:
        raise Refused(401, "Invalid or expired session, please login again.", "api.context.session_expired.app_error")
    user: Row = call.user
    return user


def need_admin(chat: Chat, call: Call) -> Row:
    user = need_user(call)
    if not chat.is_admin(user):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    return user


def the_user(chat: Chat, call: Call) -> Row:
    """The user a path names; `me` is who asks."""
    asked = call.params["user_id"]
    return need_user(call) if asked == "me" else chat.user(asked)


def self_or_admin(chat: Chat, call: Call) -> Row:
    """The user a path names, if who asks is the same or an administrator."""
    doer, user = need_user(call), the_user(chat, call)
    if doer["id"] != user["id"] and not chat.is_admin(doer):
        raise Refused(403, FORBIDDEN, "api.context.permissions.app_error")
    return user


def page_of(call: Call, usual: int = 60) -> tuple[int, int]:
    """Page (from 0) and size (200 at most)."""
    return max(0, call.number("page", 0)), max(1, min(200, call.number("per_page", usual)))
