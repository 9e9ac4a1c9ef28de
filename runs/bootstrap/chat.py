"""A Mattermost made ready: team, channel, and one bot with a token per worker (bots are not counted as active users)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runs.bootstrap.client import BootstrapError, Client
from runs.bootstrap.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Chat:
    """Which chat, who administers it, and the names of the team's rooms."""

    url: str
    admin: str
    team: str = "agensh"
    channel: str = "team"


def ensure_admin_token(chat: Chat, secrets: Secrets) -> str:
    """The administrator's token: a session made by signing in."""

    def sign_in() -> str:
        with Client(f"{chat.url}/api/v4") as api:
            body = {"login_id": chat.admin, "password": secrets.ensure("chat_admin")}
            answer = api.ask("POST", "/users/login", body)
            if answer.is_error or "Token" not in answer.headers:
                raise BootstrapError(f"POST /users/login answered {answer.status_code}: {answer.text[:300]}")
            return answer.headers["Token"]

    return secrets.ensure("chat_token", sign_in)


def ensure_channel(chat: Chat, secrets: Secrets) -> tuple[str, str]:
    """The ids of the team and its one channel."""
    with _api(chat, secrets) as api:
        team = api.find(f"/teams/name/{chat.team}")
        if team is None:
            team = api.call("POST", "/teams", {"name": chat.team, "display_name": "Agensh", "type": "I"})
        channel = api.find(f"/teams/{team['id']}/channels/name/{chat.channel}")
        if channel is None:
            body = {"team_id": team["id"], "name": chat.channel, "display_name": "Team", "type": "O"}
            channel = api.call("POST", "/channels", body)
    return str(team["id"]), str(channel["id"])


def ensure_bot(chat: Chat, secrets: Secrets, name: str, team: str, channel: str) -> dict[str, Any]:
    """A worker's bot in team and channel; its token is kept as `<name>.chat`. Gives Mattermost's user."""
    with _api(chat, secrets) as api:
        user = api.find(f"/users/username/{name}")
        if user is None:
            bot = api.call("POST", "/bots", {"username": name, "display_name": name, "description": "A worker"})
            user = {"id": bot["user_id"], "username": bot["username"]}
        secrets.ensure(
            f"{name}.chat",
            lambda: str(api.call("POST", f"/users/{user['id']}/tokens", {"description": "worker"})["token"]),
        )
        # Joining twice is no fault in Mattermost.
        api.call("POST", f"/teams/{team}/members", {"team_id": team, "user_id": user["id"]})
        api.call("POST", f"/channels/{channel}/members", {"user_id": user["id"]})
    return dict(user)


def _api(chat: Chat, secrets: Secrets) -> Client:
    return Client(f"{chat.url}/api/v4", {"Authorization": f"Bearer {ensure_admin_token(chat, secrets)}"})
