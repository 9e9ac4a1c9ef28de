"""The workers' accounts on the chat: each a bot, which is not counted as a person, with a token of its own; a few at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from runs.bootstrap.abreast import Progress, each
from runs.bootstrap.chat import Chat, api_of
from runs.bootstrap.client import Client
from runs.bootstrap.secrets import Secrets

AT_ONCE = 8
PAGE = 200
JOIN = 100  # members in one call: a team takes 256, and each costs the chat two posts


def ensure_bots(
    chat: Chat,
    secrets: Secrets,
    names: Collection[str],
    rooms: tuple[str, str],
    progress: Progress = lambda done, of: None,
) -> dict[str, dict[str, Any]]:
    """Every worker's bot as Mattermost's user, by name, in the team and the channel of `rooms`; tokens are kept as `<name>.chat`.

    `progress(done, of)` is called after each and may raise; a later call goes on from what is there.
    """
    team, channel = rooms
    with api_of(chat, secrets) as api:
        known = {user["username"]: user for user in _pages(api, "/users?")}

        def ensure(name: str) -> dict[str, Any]:
            user = known.get(name) or _create(api, name)
            if not user.get("is_bot", True):
                # The chat died between making the account and making it a bot.
                api.call("POST", f"/users/{user['id']}/convert_to_bot")
            secrets.ensure(f"{name}.chat", lambda: _mint(api, user["id"]))
            return user

        bots = each(ensure, names, progress, AT_ONCE)
        ids = [bots[name]["id"] for name in names]
        for some in _handfuls(_absent(ids, _pages(api, f"/users?in_team={team}&"))):
            api.call("POST", f"/teams/{team}/members/batch", [{"team_id": team, "user_id": id} for id in some])
            progress(len(bots), len(bots))
        for some in _handfuls(_absent(ids, _pages(api, f"/users?in_channel={channel}&"))):
            api.call("POST", f"/channels/{channel}/members", {"user_ids": some})
            progress(len(bots), len(bots))
    return bots


def _create(api: Client, name: str) -> dict[str, Any]:
    bot = api.call("POST", "/bots", {"username": name, "display_name": name, "description": "A worker"})
    return {"id": bot["user_id"], "username": bot["username"]}


def _mint(api: Client, user: str) -> str:
    """A token; one that was made before and lost with its answer stays, unknown to everybody."""
    return str(api.call("POST", f"/users/{user}/tokens", {"description": "worker"})["token"])


def _pages(api: Client, path: str) -> Iterator[dict[str, Any]]:
    page = 0
    while rows := api.call("GET", f"{path}per_page={PAGE}&page={page}"):
        yield from rows
        page += 1


def _absent(ids: Collection[str], there: Iterator[dict[str, Any]]) -> list[str]:
    members = {user["id"] for user in there}
    return [id for id in ids if id not in members]


def _handfuls(ids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), JOIN):
        yield ids[start : start + JOIN]
