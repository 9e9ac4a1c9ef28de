"""The server, people, bots, tokens and teams."""

from __future__ import annotations

from standins.chat import posts, shapes
from standins.chat.chat import HARD_LIMIT, MOST_USERS, Chat, Row, new_id
from standins.chat.handlers import HANDLERS, need_admin, need_user, page_of, self_or_admin, the_user
from standins.store import now_ms
from standins.web import Answer, Call, Refused

_MOST_MEMBERS = 256
_GREETING = (
    "Please add me to teams and channels you want me to interact in. "
    "To do this, use the browser or Mattermost Desktop App."
)


@HANDLERS("GET", "/api/v4/system/ping")
def ping(chat: Chat, call: Call) -> Answer:
    return Answer(
        {
            "AndroidLatestVersion": "",
            "AndroidMinVersion": "",
            "IosLatestVersion": "",
            "IosMinVersion": "",
            "status": "OK",
        }
    )


@HANDLERS("GET", "/api/v4/limits/server")
def limits(chat: Chat, call: Call) -> Answer:
    need_user(call)
    told = {"activeUserCount": chat.active_users(), "maxUsersLimit": MOST_USERS, "maxUsersHardLimit": HARD_LIMIT}
    unlimited = ("singleChannelGuestCount", "singleChannelGuestLimit", "postHistoryLimit", "lastAccessiblePostTime")
    return Answer(told | dict.fromkeys(unlimited, 0))


@HANDLERS("POST", "/api/v4/users/login")
def log_in(chat: Chat, call: Call) -> Answer:
    user, token = chat.log_in(call.text("login_id"), call.text("password"))
    return Answer(shapes.user(chat, user), headers={"Token": token})


@HANDLERS("GET", "/api/v4/users")
def list_users(chat: Chat, call: Call) -> Answer:
    need_user(call)
    page, size = page_of(call)
    tables = {"in_team": ("teammembers", "teamid"), "in_channel": ("channelmembers", "channelid")}
    sql, values = "SELECT u.* FROM users u WHERE 1 = 1", []
    for name, (table, column) in tables.items():
        if call.query.get(name):
            sql += f" AND u.id IN (SELECT userid FROM {table} WHERE {column} = ?)"  # noqa: S608 - our own names
            values.append(call.query[name])
    rows = chat.store.all(f"{sql} ORDER BY u.username LIMIT ? OFFSET ?", *values, size, page * size)
    return Answer([shapes.user(chat, row) for row in rows])


@HANDLERS("GET", "/api/v4/users/{user_id}")
def get_user(chat: Chat, call: Call) -> Answer:
    need_user(call)
    return Answer(shapes.user(chat, the_user(chat, call)))


@HANDLERS("GET", "/api/v4/users/username/{username}")
def get_user_named(chat: Chat, call: Call) -> Answer:
    need_user(call)
    found = chat.user_named(call.params["username"])
    if found is None:
        raise Refused(
            404,
            "Unable to find an existing account matching your username for this team. "
            "This team may require an invite from the team owner to join.",
            "app.user.get_by_username.app_error",
        )
    return Answer(shapes.user(chat, found))


def _many(chat: Chat, call: Call, column: str) -> Answer:
    need_user(call)
    asked = [str(each) for each in call.body] if isinstance(call.body, list) else []
    if not asked:
        raise Refused(400, "Invalid or missing list in request body.", "api.context.invalid_body_param.app_error")
    marks = ", ".join("?" * len(asked))
    rows = chat.store.all(f"SELECT * FROM users WHERE {column} IN ({marks}) ORDER BY username", *asked)  # noqa: S608
    return Answer([shapes.user(chat, row) for row in rows])


@HANDLERS("POST", "/api/v4/users/ids")
def get_users_by_ids(chat: Chat, call: Call) -> Answer:
    return _many(chat, call, "id")


@HANDLERS("POST", "/api/v4/users/usernames")
def get_users_by_names(chat: Chat, call: Call) -> Answer:
    return _many(chat, call, "username")


@HANDLERS("POST", "/api/v4/users/{user_id}/tokens")
def mint(chat: Chat, call: Call) -> Answer:
    user = self_or_admin(chat, call)
    if not call.text("description"):
        raise Refused(
            400, "Invalid or missing description in request body.", "api.context.invalid_body_param.app_error"
        )
    return Answer(chat.mint_token(user, call.text("description")))


@HANDLERS("POST", "/api/v4/bots")
def add_bot(chat: Chat, call: Call) -> Answer:
    owner = need_admin(chat, call)
    name = call.text("username")
    with chat.store.change():
        user = chat.add_bot(owner, name, call.text("display_name"), call.text("description"))
        # Not a `system_*` type: whoever filters by that prefix alone takes this for a message.
        direct = chat.direct_channel(user, owner)
        posts.create(chat, direct, user, _GREETING, kind="add_bot_teams_channels")
    made = chat.bot(user["id"])
    assert made is not None
    return Answer(shapes.bot(made), 201)


def _team(chat: Chat, column: str, value: str) -> Row:
    found = chat.store.one(f"SELECT * FROM teams WHERE {column} = ?", value)  # noqa: S608
    if found is None:
        raise Refused(
            404,
            "Unable to find the existing team.",
            "app.team.get_by_name.missing.app_error" if column == "name" else "app.team.get.find.app_error",
        )
    return found


@HANDLERS("POST", "/api/v4/teams")
def add_team(chat: Chat, call: Call) -> Answer:
    doer = need_user(call)
    name, kind = call.text("name"), call.text("type") or "O"
    if len(name) < 2 or kind not in ("O", "I"):
        raise Refused(400, "Name must be 2 or more characters.", "model.team.is_valid.name.app_error")
    if chat.store.value("SELECT 1 FROM teams WHERE name = ?", name):
        raise Refused(400, "A team with that name already exists.", "app.team.save.existing.app_error")
    at, id = now_ms(), new_id()
    with chat.store.change():
        chat.store.add(
            "teams", id=id, createat=at, updateat=at, displayname=call.text("display_name"), name=name, type=kind
        )
        for channel, shown in (("town-square", "Town Square"), ("off-topic", "Off-Topic")):
            chat.add_channel(id, channel, shown, "O", "")
        _join_team(chat, id, doer, doer)
    return Answer(shapes.team(_team(chat, "id", id)), 201)


@HANDLERS("GET", "/api/v4/teams/name/{team_name}")
def get_team(chat: Chat, call: Call) -> Answer:
    need_user(call)
    return Answer(shapes.team(_team(chat, "name", call.params["team_name"])))


@HANDLERS("POST", "/api/v4/teams/{team_id}/members")
def add_member(chat: Chat, call: Call) -> Answer:
    doer = need_user(call)
    team = _team(chat, "id", call.params["team_id"])
    user = chat.user(call.text("user_id"))
    if user["id"] != doer["id"] and not chat.is_admin(doer):
        raise Refused(403, "You do not have the appropriate permissions.", "api.context.permissions.app_error")
    return Answer(shapes.team_member(_join_team(chat, team["id"], user, doer)), 201)


@HANDLERS("POST", "/api/v4/teams/{team_id}/members/batch")
def add_members(chat: Chat, call: Call) -> Answer:
    doer = need_admin(chat, call)
    team = _team(chat, "id", call.params["team_id"])
    asked = call.body if isinstance(call.body, list) else []
    if not 0 < len(asked) <= _MOST_MEMBERS:
        raise Refused(400, "too many members in batch", "api.context.invalid_body_param.app_error")
    users = [chat.user(str(each.get("user_id"))) for each in asked]
    return Answer([shapes.team_member(_join_team(chat, team["id"], user, doer)) for user in users], 201)


def _join_team(chat: Chat, team_id: str, user: Row, doer: Row) -> Row:
    with chat.store.change() as db:
        done = db.execute(
            "INSERT OR IGNORE INTO teammembers (teamid, userid, createat) VALUES (?, ?, ?)",
            (team_id, user["id"], now_ms()),
        )
        if done.rowcount:
            for channel in chat.store.all(
                "SELECT * FROM channels WHERE teamid = ? AND name IN ('town-square', 'off-topic')", team_id
            ):
                chat.join(channel, user)
                posts.joined(chat, channel, user, doer, "team" if channel["name"] == "town-square" else "channel")
    found = chat.store.one("SELECT * FROM teammembers WHERE teamid = ? AND userid = ?", team_id, user["id"])
    assert found is not None
    return found
