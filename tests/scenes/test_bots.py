"""The bots of a team, made on a chat that dies in the middle: done again, each is there once, joined once, and a bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, api_of, check_limits
from runs.bootstrap.client import BootstrapError
from tests.scenes.chats import StandIn, Team
from tests.scenes.test_chat import REAL

NAMES = [f"b{n:04d}" for n in range(1, 25)]


@pytest.fixture(scope="module", params=[pytest.param(StandIn, id="stand-in"), REAL])
def team(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    made = request.param(tmp_path_factory.mktemp("bots"))
    yield made
    made.close()


def test_a_chat_killed_while_bots_are_made(team: Team) -> None:
    chat, rooms = Chat(team.url, "agensh"), (team.team, team.channel)
    people = check_limits(chat, team.secrets)["activeUserCount"]
    for after in (1, 9, len(NAMES)):

        def progress(done: int, of: int, after: int = after) -> None:
            if done == after:
                team.kill()

        with pytest.raises(BootstrapError):
            ensure_bots(chat, team.secrets, NAMES, rooms, progress)
        team.restart()
    bots = ensure_bots(chat, team.secrets, NAMES, rooms)
    with api_of(chat, team.secrets) as api:
        users = [user for user in api.call("GET", "/users?per_page=200") if user["username"] in NAMES]
        there = {user["id"] for user in api.call("GET", f"/users?in_channel={team.channel}&per_page=200")}
    assert sorted(user["username"] for user in users) == NAMES
    assert all(user.get("is_bot") for user in users)
    assert {bot["id"] for bot in bots.values()} <= there
    assert len({team.secrets.get(f"{name}.chat") for name in NAMES}) == len(NAMES)
    said = team.rows(f"SELECT message FROM posts WHERE type = 'system_add_to_channel' AND channelid = '{team.channel}'")
    joined = Counter(row["message"].split()[0].strip("@") for row in said)
    assert {name: joined[name] for name in NAMES} == dict.fromkeys(NAMES, 1)
    assert check_limits(chat, team.secrets)["activeUserCount"] == people, "bots are not counted as people"
