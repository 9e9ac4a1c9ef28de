"""A Mattermost made ready: its administrator, team and channel. Every step looks first, so it may be cut off anywhere and done again.

The workers' bots are `bots.py`.
"""

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
    """The administrator's token: a session made by signing in. A chat without any account gets its administrator first."""

    def sign_in() -> str:
        with Client(f"{chat.url}/api/v4", timeout=30) as api:
            body = {"login_id": chat.admin, "password": secrets.ensure("chat_admin")}
            answer = api.ask("POST", "/users/login", body)
            if answer.status_code == 401:  # an unknown name and a wrong password are refused alike
                _first_account(api, chat.admin, body["password"])
                answer = api.ask("POST", "/users/login", body)
            if answer.is_error or "Token" not in answer.headers:
                raise BootstrapError(f"POST /users/login answered {answer.status_code}: {answer.text[:300]}")
            return answer.headers["Token"]

    return secrets.ensure("chat_token", sign_in)


def _first_account(api: Client, name: str, password: str) -> None:
    """The first account of a Mattermost may be made by anybody and administers it; workers do not exist yet."""
    made = api.call("POST", "/users", {"username": name, "email": f"{name}@workers.invalid", "password": password})
    if "system_admin" not in str(made.get("roles")).split():
        raise BootstrapError(f"the chat had accounts already: {name} was made, and does not administer it")


def ensure_channel(chat: Chat, secrets: Secrets) -> tuple[str, str]:
    """The ids of the team and its one channel."""
    with api_of(chat, secrets) as api:
        team = api.find(f"/teams/name/{chat.team}")
        if team is None:
            team = api.call("POST", "/teams", {"name": chat.team, "display_name": "Agensh", "type": "I"})
        channel = api.find(f"/teams/{team['id']}/channels/name/{chat.channel}")
        if channel is None:
            body = {"team_id": team["id"], "name": chat.channel, "display_name": "Team", "type": "O"}
            channel = api.call("POST", "/channels", body)
    return str(team["id"]), str(channel["id"])


def check_limits(chat: Chat, secrets: Secrets) -> dict[str, Any]:
    """What the chat says of its limits. Raises BootstrapError if it would hide old posts, or takes no more accounts than it has.

    Bots are not among the accounts it counts, so a team of any size passes.
    """
    with api_of(chat, secrets) as api:
        limits = dict(api.call("GET", "/limits/server"))
    if limits.get("postHistoryLimit"):
        raise BootstrapError(
            f"this Mattermost hides all but the newest {limits['postHistoryLimit']} posts: take its Team Edition"
        )
    most = int(limits.get("maxUsersHardLimit") or 0)
    if most and int(limits.get("activeUserCount") or 0) >= most:
        raise BootstrapError(f"this Mattermost has its {most} accounts already")
    return limits


def api_of(chat: Chat, secrets: Secrets) -> Client:
    """The administrator's calls."""
    return Client(f"{chat.url}/api/v4", {"Authorization": f"Bearer {ensure_admin_token(chat, secrets)}"}, timeout=60)
