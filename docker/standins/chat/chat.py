"""The chat as one object: its database, its people, who belongs where."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from standins.chat.schema import SCHEMA
from standins.store import Store, now_ms
from standins.web import Refused

Row = dict[str, Any]
_LETTERS = "ybndrfg8ejkmcpqxot1uwisza345h769"
MOST_USERS, HARD_LIMIT = 200, 250


def new_id() -> str:
    """A Mattermost id: 26 letters and digits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(26))


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class Chat:
    """People, teams and channels."""

    def __init__(self, data_dir: str | Path, url: str) -> None:
        self.url = url
        self.store = Store(Path(data_dir) / "chat.db", SCHEMA)

    # people

    def user(self, id: str) -> Row:
        """The user with this id. Raises Refused(404)."""
        found = self.store.one("SELECT * FROM users WHERE id = ?", id)
        if found is None:
            raise Refused(404, "Unable to find the user.", "app.user.missing_account.const")
        return found

    def user_named(self, name: str) -> Row | None:
        return self.store.one("SELECT * FROM users WHERE username = ?", name)

    def add_user(self, name: str, password: str, email: str, roles: str = "system_user") -> Row:
        """A new human account. Raises Refused: 400 name taken or limit of active users reached."""
        if not name or not all(each.isalnum() or each in "-_." for each in name) or len(name) > 64:
            raise Refused(400, "Username must begin with a letter.", "model.user.is_valid.username.app_error")
        if self.user_named(name) is not None:
            raise Refused(
                400, "An account with that username already exists.", "app.user.save.username_exists.app_error"
            )
        if roles == "system_user" and self.active_users() >= HARD_LIMIT:
            raise Refused(400, "The user limit is exceeded.", "api.user.create_user.user_limits.exceeded")
        at, id = now_ms(), new_id()
        fields = {"id": id, "createat": at, "updateat": at, "username": name.lower(), "email": email, "roles": roles}
        self.store.add("users", **fields, password=_hash_password(password) if password else "")
        return self.user(id)

    def active_users(self) -> int:
        """Active human accounts; bots are not counted, as in the real one."""
        return int(
            self.store.value(
                "SELECT count(*) FROM users u LEFT JOIN bots b ON b.userid = u.id WHERE b.userid IS NULL AND u.deleteat = 0"
            )
        )

    def ensure_admin(self, name: str, password: str) -> None:
        """The administrator of the configuration, created once, with this password."""
        found = self.user_named(name)
        if found is None:
            self.add_user(name, password, f"{name}@workers.invalid", "system_admin system_user")
        elif not _password_fits(password, found["password"]):
            self.store.set("users", found["id"], password=_hash_password(password))

    def log_in(self, name: str, password: str) -> tuple[Row, str]:
        """A user and a session token. Raises Refused(401)."""
        found = self.user_named(name) or self.store.one("SELECT * FROM users WHERE email = ? AND email <> ''", name)
        if found is None or not _password_fits(password, found["password"]):
            raise Refused(
                401,
                "Enter a valid email or username and/or password.",
                "api.user.login.invalid_credentials_email_username",
            )
        token = new_id()
        self.store.add("sessions", hash=hashed(token), userid=found["id"], createat=now_ms())
        return found, token

    def sign_in(self, headers: Mapping[str, str]) -> Row | None:
        """The user behind `Authorization`; None without one. Raises Refused(401)."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if not kind:
            return None
        found = self.store.one(
            "SELECT u.* FROM users u WHERE u.id = (SELECT userid FROM useraccesstokens WHERE hash = ? AND isactive = 1 "
            "UNION ALL SELECT userid FROM sessions WHERE hash = ? LIMIT 1)",
            hashed(token.strip()),
            hashed(token.strip()),
        )
        if found is None or kind.lower() not in ("bearer", "token"):
            raise Refused(
                401, "Invalid or expired session, please login again.", "api.context.session_expired.app_error"
            )
        return found

    def is_admin(self, user: Row) -> bool:
        return "system_admin" in user["roles"].split()

    def add_bot(self, owner: Row, name: str, display_name: str, description: str) -> Row:
        """A bot; its owner gets a direct message from it, which is how real ones greet."""
        if self.user_named(name) is not None:
            raise Refused(
                400, "An account with that username already exists.", "app.user.save.username_exists.app_error"
            )
        if self.store.value("SELECT 1 FROM bots WHERE userid = ?", owner["id"]):
            raise Refused(403, "A bot cannot create bots.", "api.context.permissions.app_error")
        at, id = now_ms(), new_id()
        with self.store.change():
            fields = {"id": id, "createat": at, "updateat": at, "username": name.lower()}
            self.store.add("users", **fields, email=f"{name.lower()}@localhost", firstname=display_name)
            self.store.add(
                "bots", userid=id, description=description, ownerid=owner["id"], createat=at, updateat=at,
                displayname=display_name,
            )  # fmt: skip
        return self.user(id)

    def bot(self, id: str) -> Row | None:
        return self.store.one(
            "SELECT b.*, u.username FROM bots b JOIN users u ON u.id = b.userid WHERE b.userid = ?", id
        )

    def mint_token(self, user: Row, description: str) -> Row:
        """An access token; its plain text is in this answer and nowhere else."""
        plain, id = new_id(), new_id()
        self.store.add("useraccesstokens", id=id, hash=hashed(plain), userid=user["id"], description=description)
        return {"id": id, "token": plain, "user_id": user["id"], "description": description, "is_active": True}

    # channels

    def channel(self, id: str) -> Row:
        """The channel with this id. Raises Refused(404)."""
        found = self.store.one("SELECT * FROM channels WHERE id = ?", id)
        if found is None:
            raise Refused(404, "Unable to find the existing channel.", "app.channel.get.existing.app_error")
        return found

    def add_channel(self, team_id: str, name: str, display_name: str, kind: str, creator: str, **more: str) -> Row:
        """A channel. Raises Refused(400) where the name is taken."""
        if self.store.value("SELECT 1 FROM channels WHERE teamid = ? AND name = ?", team_id, name):
            raise Refused(
                400,
                "A channel with that name already exists on the same team.",
                "store.sql_channel.save_channel.exists.app_error",
            )
        at, id = now_ms(), new_id()
        fields = {"id": id, "createat": at, "updateat": at, "teamid": team_id, "type": kind, "creatorid": creator}
        self.store.add("channels", **fields, displayname=display_name, name=name, **more)
        return self.channel(id)

    def direct_channel(self, one: Row, other: Row) -> Row:
        """The direct channel of two people, made on first use."""
        name = "__".join(sorted([one["id"], other["id"]]))
        with self.store.change():
            found = self.store.one("SELECT * FROM channels WHERE teamid = '' AND name = ?", name)
            if found is None:
                found = self.add_channel("", name, "", "D", one["id"])
                for user in (one, other):
                    self.join(found, user)
        return found

    def join(self, channel: Row, user: Row) -> bool:
        """Make somebody a member; False if it was one."""
        with self.store.change() as db:
            done = db.execute(
                "INSERT OR IGNORE INTO channelmembers (channelid, userid, roles, lastupdateat) VALUES (?, ?, 'channel_user', ?)",
                (channel["id"], user["id"], now_ms()),
            )
        return done.rowcount > 0

    def is_member(self, channel_id: str, user_id: str) -> bool:
        found = self.store.value("SELECT 1 FROM channelmembers WHERE channelid = ? AND userid = ?", channel_id, user_id)
        return found is not None

    def readable(self, id: str, user: Row) -> Row:
        """A channel this user may read. Raises Refused: 404, 403."""
        channel = self.channel(id)
        if not self.is_member(id, user["id"]) and not self.is_admin(user):
            raise Refused(403, "You do not have the appropriate permissions.", "api.context.permissions.app_error")
        return channel


def _hash_password(password: str) -> str:
    salt = secrets.token_hex(8)
    return f"{salt}${_stretch(password, salt)}"


def _stretch(password: str, salt: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", password.encode("utf-8", "replace"), salt.encode(), 10_000).hex()


def _password_fits(password: str, stored: str) -> bool:
    salt, _, rest = (stored or "").partition("$")
    return bool(salt) and secrets.compare_digest(_stretch(password, salt), rest)


def props_of(row: Row) -> dict[str, Any]:
    """The `props` of a row as an object."""
    props: dict[str, Any] = json.loads(row["props"] or "{}")
    return props
