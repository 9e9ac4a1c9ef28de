"""The registry the handlers of the forge put themselves into, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from standins.forge.forge import READ, Forge, Row
from standins.web import Answer, Call, Handlers, Refused

HANDLERS = Handlers()
MOST_ITEMS, USUAL_ITEMS = 50, 30


def need_user(call: Call) -> Row:
    """Who asks. Raises Refused(401) for nobody."""
    if call.user is None:
        raise Refused(401, "token is required")
    user: Row = call.user
    return user


def need_admin(call: Call) -> Row:
    user = need_user(call)
    if not user["is_admin"]:
        raise Refused(403, "Only site admin")
    return user


def repo_of(forge: Forge, call: Call, needs: int = READ) -> Row:
    return forge.repository(call.params["owner"], call.params["repo"], call.user, needs)


def page_of(call: Call) -> tuple[int, int]:
    """Page and size: 30 items unless asked, 50 at most."""
    page, limit = max(1, call.number("page", 1)), call.number("limit", USUAL_ITEMS)
    return page, MOST_ITEMS if limit > MOST_ITEMS else limit if limit > 0 else USUAL_ITEMS


def paged(call: Call, rows: list[Row], show: Callable[[Row], Any]) -> Answer:
    """One page of rows, with `X-Total-Count` and `Link`. Only the rows of the page are shown."""
    page, limit = page_of(call)
    start = (page - 1) * limit
    headers = {"X-Total-Count": str(len(rows))}
    if start + limit < len(rows):
        headers["Link"] = f'<{call.path}?page={page + 1}&limit={limit}>; rel="next"'
        headers["X-HasMore"] = "true"
    return Answer([show(row) for row in rows[start : start + limit]], headers=headers)
